import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = join(import.meta.dirname, '../../libs');

/** The text of the file of this name, wherever in the library's sources it stands. */
function readSource(library: string, name: string): string {
  const sources = join(LIBRARIES, library, 'src');
  const found = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /[^\\/]+$/.exec(file)?.[0] === name,
  );
  expect(found).toHaveLength(1);
  return readFileSync(join(sources, found[0]), 'utf8');
}

// The published packages do not depend on each other, so that each has a copy.
it('exact-json.ts should be the same file in both libraries', () => {
  expect(readSource('embedded-kube', 'exact-json.ts')).toBe(readSource('kopf', 'exact-json.ts'));
});
