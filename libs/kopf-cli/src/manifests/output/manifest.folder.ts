import { mkdirSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { mergeThreeWays } from './three-way.merge.js';

/** The folder beside the files that keeps them as they were generated; it belongs to the files, also in a repository. */
const ORIGINALS = '.kopf-manifests';

/** The outcome of writing a file: `merged` if a person's changes were kept, `foreign` if it was there, but was not generated. */
export type FileOutcome = 'created' | 'updated' | 'unchanged' | 'merged' | 'conflict' | 'foreign';

/**
 * The state of a file beside what would be generated now: `stale` if that has changed since, `missing` if there is no file, `foreign` if it was not
 * generated, `obsolete` if it was, but would not be any more, `conflict` if it has marks of a merge.
 */
export type FileState = 'current' | 'stale' | 'missing' | 'foreign' | 'obsolete' | 'conflict';

/** The folder into which files are generated, and in which a person may have edited those that were generated before. */
export class ManifestFolder {
  constructor(private readonly folder: string) {}

  /**
   * Writes the files. Changes of the user are merged with those of the generated text; a file that was not generated stays as it is.
   *
   * @param force overwrites files that were not generated.
   * @returns what has become of each file.
   */
  write(files: Readonly<Record<string, string>>, force = false): Readonly<Record<string, FileOutcome>> {
    return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, this.writeFile(path, text, force)]));
  }

  /** Compares the files with those that are there, and writes nothing. Changes of the user are no difference. */
  check(files: Readonly<Record<string, string>>): Readonly<Record<string, FileState>> {
    const states = Object.entries(files).map(([path, text]) => [path, this.stateOf(path, text)] as const);
    const obsolete = listFiles(join(this.folder, ORIGINALS)).filter((path) => files[path] === undefined);
    return Object.fromEntries([...states, ...obsolete.map((path) => [path, 'obsolete'] as const)]);
  }

  private stateOf(path: string, generated: string): FileState {
    const edited = read(join(this.folder, path));
    const original = read(join(this.folder, ORIGINALS, path));
    if (edited === undefined) return 'missing';
    if (original === undefined) return edited === generated ? 'current' : 'foreign';
    if (/^(<<<<<<<|>>>>>>>) /m.test(edited)) return 'conflict';
    return original === generated ? 'current' : 'stale';
  }

  private writeFile(path: string, generated: string, force: boolean): FileOutcome {
    const target = join(this.folder, path);
    const kept = join(this.folder, ORIGINALS, path);
    const edited = read(target);
    const original = read(kept);
    if (edited !== undefined && original === undefined && edited !== generated && !force) return 'foreign';
    write(kept, generated);
    if (edited === undefined || original === undefined) {
      if (edited !== generated) write(target, generated);
      if (edited === undefined) return 'created';
      return edited === generated ? 'unchanged' : 'updated';
    }
    const { text, conflicts } = mergeThreeWays(original, edited, generated);
    if (text !== edited) write(target, text);
    if (conflicts > 0) return 'conflict';
    if (text === edited) return 'unchanged';
    return text === generated ? 'updated' : 'merged';
  }
}

/** Lists the files of a folder and of those in it, with `/` between them; none if there is no folder. */
function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/')).sort();
}

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
