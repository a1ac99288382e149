import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = [
  'libs/kopf/src/inspection/explanation/explanation.ts',
  'libs/kopf/src/inspection/operator/objects/object.details.ts',
  'libs/kopf-cli/src/commands/explain.command.ts',
];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('The guide of the console', () => {
  it('should list the codes of all sentences about an object', () => {
    const made = SOURCES.flatMap((path) => [...read(path).matchAll(/code: ['`]([^'`]+)['`]/g)].map(([, code]) => code));
    const codes = new Set(
      made.flatMap((code) => (code.startsWith('$') ? [`state${code.slice(7)}`, `finalizer${code.slice(7)}`] : code)),
    );
    const section = /## What is said of an object\n([^]*?)\n## /.exec(read('libs/kopf/docs/console.md'))?.[1] ?? '';
    const listed = [...section.matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code),
    );
    expect(new Set(listed)).toEqual(codes);
  });
});
