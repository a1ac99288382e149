import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXHIBITS } from './museum.js';
import { listBugs, listPatterns, readTable } from './museum.tables.js';

const GUIDES = join(import.meta.dirname, '../../../libs/kopf/docs');

function readGuide(name: string): string {
  return readFileSync(join(GUIDES, name), 'utf8');
}

describe('The exhibits of the museum', () => {
  it('should be at least five of each pattern of Sieve and class of Acto', () => {
    const patterns = ['intermediate', 'stale', 'unobserved', 'undesired', 'error', 'outage'];
    const counts = patterns.map((name) => EXHIBITS.filter(({ pattern }) => pattern === name).length);
    for (const count of counts) expect(count).toBeGreaterThanOrEqual(5);
  });

  it('should be found by at most three faults', () => {
    expect(EXHIBITS.filter(({ faults }) => faults.length > 3)).toEqual([]);
  });

  it('should be those that the guides list', () => {
    expect(readTable(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8'), '# Museum of bugs')).toEqual(
      listBugs(EXHIBITS),
    );
    expect(readTable(readGuide('simulation.md'), '## Which bugs it finds')).toEqual(listPatterns(EXHIBITS));
  });
});
