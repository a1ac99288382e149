import { createRequire } from 'node:module';

/** The `User-Agent` of all requests: `nestjs-kopf/{version}`. */
export function makeUserAgent(): string {
  const { name, version } = createRequire(import.meta.url)('nestjs-kopf/package.json') as Record<string, string>;
  return `${name}/${version}`;
}
