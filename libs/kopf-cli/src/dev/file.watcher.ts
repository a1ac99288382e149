import { statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock, ClockTimer } from 'kube-common';

/** Seconds without another change until a change is reported: editors and compilers write several files, and each of them several times. */
const QUIET = 0.1;

/** The extensions of source files. */
const SOURCE = /\.([mc]?[jt]sx?|json|ya?ml)$/;

/** The watcher of changes of files. Their folders are watched, as editors put a new file in the place of the old one. */
export class FileWatcher {
  private readonly folders = new Map<string, FSWatcher>();
  private files: ReadonlySet<string> = new Set();
  private stamps = new Map<string, string>();
  private readonly changed = new Set<string>();
  private timer?: ClockTimer;

  /**
   * @param onChange gets the paths that have changed, when nothing has changed for a moment.
   * @param takesAny returns whether new and unknown files count as well, because one of them may be what is missing.
   */
  constructor(
    private readonly clock: Clock,
    private readonly onChange: (files: readonly string[]) => void,
    private readonly takesAny: () => boolean = () => false,
  ) {}

  /** Watches these files, which need not exist, and no others any more. */
  watch(files: Iterable<string>): void {
    this.files = new Set(files);
    this.stamps = new Map([...this.files].map((file) => [file, stampOf(file)]));
    const folders = new Set([...this.files].map((file) => dirname(file)));
    for (const [folder, watcher] of this.folders) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.folders.delete(folder);
    }
    for (const folder of folders) if (!this.folders.has(folder)) this.open(folder);
  }

  /** Watches these files, too. */
  add(files: Iterable<string>): void {
    const known = this.stamps;
    this.watch([...this.files, ...files]);
    for (const [file, stamp] of known) this.stamps.set(file, stamp);
  }

  get size(): number {
    return this.files.size;
  }

  close(): void {
    this.timer?.cancel();
    this.watch([]);
  }

  private open(folder: string): void {
    try {
      const watcher = watch(folder, (_event, name) => this.take(folder, name));
      // The folder has gone, and with it all files that could change in it.
      watcher.on('error', () => watcher.close());
      this.folders.set(folder, watcher);
    } catch {
      // It does not exist; the reader of the file in it reports that it is missing.
    }
  }

  private take(folder: string, name: string | null): void {
    const candidates =
      name === null ? [...this.files].filter((file) => dirname(file) === folder) : [join(folder, name)];
    const changed = candidates.filter((file) => this.hasChanged(file));
    if (changed.length === 0) return;
    for (const file of changed) this.changed.add(file);
    this.timer?.cancel();
    this.timer = this.clock.setTimer(() => this.report(), QUIET * 1000);
  }

  private hasChanged(file: string): boolean {
    if (!this.files.has(file)) return this.takesAny() && SOURCE.test(basename(file));
    const stamp = stampOf(file);
    if (stamp === this.stamps.get(file)) return false;
    this.stamps.set(file, stamp);
    return true;
  }

  private report(): void {
    const files = [...this.changed];
    this.changed.clear();
    this.onChange(files);
  }
}

/** Is another one if the file is; to have been read changes nothing. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : '';
}
