import { readFileSync } from 'node:fs';

/** The `User-Agent` of all requests: `nestjs-kopf/{version}`. */
export function makeUserAgent(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return `nestjs-kopf/${manifest.version}`;
}
