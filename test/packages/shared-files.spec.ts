import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kube from 'embedded-kube';
import * as kopf from 'nestjs-kopf/testing';

const LIBRARIES = join(import.meta.dirname, '../../libs');

/** The text of the file of this name, wherever in the library's sources it stands, without the comment about its folder. */
function readSource(library: string, name: string): string {
  const sources = join(LIBRARIES, library, 'src');
  const found = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /[^\\/]+$/.exec(file)?.[0] === name,
  );
  expect(found).toHaveLength(1);
  return readFileSync(join(sources, found[0]), 'utf8').replace(/^(?:\/\/ .*\n)+\n/, '');
}

// The published packages do not depend on each other, so that each has a copy.
it.each(['exact-json.ts', 'clock.ts', 'random.ts'])('%s should be the same file in both libraries', (name) => {
  expect(readSource('embedded-kube', name)).toBe(readSource('kopf', name));
});

it('both libraries should give the same numbers for one seed', () => {
  const draw = (random: { next(): number }): number[] => Array.from({ length: 100 }, () => random.next());
  expect(draw(new kube.SeededRandom(42))).toEqual(draw(new kopf.SeededRandom(42)));
});
