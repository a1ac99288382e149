import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps two servers from writing into one folder. A lock that a dead process left is taken over. */
export class FolderLock {
  private readonly path: string;
  private held = false;

  constructor(private readonly folder: string) {
    this.path = join(folder, 'lock');
  }

  /** @throws Error if a running process holds the folder */
  acquire(): void {
    const owner = this.owner();
    if (owner !== undefined && owner !== process.pid && isAlive(owner)) {
      throw new Error(`${this.folder} is in use by process ${owner}; if that is no embedded-kube, remove ${this.path}`);
    }
    writeFileSync(this.path, `${process.pid}\n`);
    this.held = true;
  }

  release(): void {
    if (this.held) rmSync(this.path, { force: true });
    this.held = false;
  }

  private owner(): number | undefined {
    try {
      return Number(readFileSync(this.path, 'utf8')) || undefined;
    } catch {
      return undefined;
    }
  }
}

function isAlive(process_: number): boolean {
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
