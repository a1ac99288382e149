import { createRequire } from 'node:module';

/** The `User-Agent` of all requests: `nestjs-kopf/{version}`; without the version in applications of one file, with no packages beside them. */
export function createUserAgent(): string {
  try {
    const { version } = createRequire(import.meta.url)('nestjs-kopf/package.json') as { version: string };
    return `nestjs-kopf/${version}`;
  } catch {
    return 'nestjs-kopf';
  }
}
