import { join } from 'node:path';
import { findLogCalls, LOG_LEVELS } from './support/log.lines.js';
import { listPages } from './support/pages.js';

/** The libraries that log, with the name of the part of those that are one part; the others have one for each folder. */
const SOURCES = [
  ['kopf', '.'],
  ['kopf-simulation', 'simulation'],
  ['kopf-console', 'console'],
  ['kopf-cli', 'cli'],
];

/** The rows of the table of a level, as the guide has it. */
function rowsOf(guide: string, level: string): string[] {
  const [, section] = guide.split(`### ${level}\n`);
  const [table] = section.split(/^##/m);
  return [...table.matchAll(/^\| `(.+?)`\s+\| `(.+?)`\s+\|$/gm)].map(([, folder, message]) => `${folder}: ${message}`);
}

describe('The guide to logging', () => {
  const guide = listPages().find(({ name }) => name === 'logging')!.text;
  const calls = SOURCES.flatMap(([library, part]) =>
    findLogCalls(join(import.meta.dirname, '../../libs', library, 'src')).map((call) =>
      part === '.' ? call : { ...call, folder: part },
    ),
  );

  it.each(LOG_LEVELS)('should list the lines of the level %s as the sources have them', (level) => {
    const found = calls.filter((call) => call.level === level).map(({ folder, message }) => `${folder}: ${message}`);
    expect(rowsOf(guide, level).sort()).toEqual([...new Set(found)].sort());
  });

  it('should find the lines', () => {
    expect(calls.length).toBeGreaterThan(100);
    expect(calls).toContainEqual({ level: 'debug', folder: 'execution', message: '… is invoked.' });
  });

  it('should have values of objects at the level verbose only', () => {
    const verbose = calls.filter(({ level }) => level === 'verbose').map(({ message }) => message);
    expect(verbose.sort()).toEqual(['The inconsistencies are: …', 'The patch is: …', '… body: …', '… diff: …'].sort());
  });
});
