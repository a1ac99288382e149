import { mkdirSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mergeThreeWays } from './three-way.merge.js';

/** The folder beside the files that keeps them as they were generated; it belongs to the files, also in a repository. */
const ORIGINALS = '.kopf-manifests';

/** The outcome of writing a file: `merged` if a person's changes were kept, `foreign` if it was there, but was not generated. */
export type FileOutcome = 'created' | 'updated' | 'unchanged' | 'merged' | 'conflict' | 'foreign';

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

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
