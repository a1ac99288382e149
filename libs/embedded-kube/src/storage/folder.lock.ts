import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The process that holds a folder. */
interface LockOwner {
  readonly process: number;
  /** The start of the process, which differs from that of a later process with the same number; empty where the system does not show it. */
  readonly start: string;
}

/** A lock that keeps two servers from writing into one folder. A lock that a dead process left is taken over. */
export class FolderLock {
  private readonly path: string;
  private held = false;

  constructor(private readonly folder: string) {
    this.path = join(folder, 'lock');
  }

  /** @throws Error if a running process holds the folder */
  acquire(): void {
    const owner = this.owner();
    if (owner && isRunning(owner)) {
      const advice = `if that is no embedded-kube, remove ${this.path}`;
      throw new Error(`${this.folder} is in use by process ${owner.process}; ${advice}`);
    }
    writeFileSync(this.path, `${process.pid} ${startOf(process.pid)}\n`);
    this.held = true;
  }

  release(): void {
    if (this.held) rmSync(this.path, { force: true });
    this.held = false;
  }

  private owner(): LockOwner | undefined {
    try {
      const [number, start = ''] = readFileSync(this.path, 'utf8').trim().split(' ');
      return Number(number) ? { process: Number(number), start } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Whether the process runs: the same one, not a later one with its number. */
function isRunning({ process: number, start }: LockOwner): boolean {
  if (!isAlive(number)) return false;
  const now = startOf(number);
  if (start && now) return start === now;
  // Without a start, a process with this one's number is taken for one that ran before: in containers, all have the same.
  return number !== process.pid;
}

/** Reads from Linux when a process started: the boot, and the time since then. Returns an empty text on other systems. */
function startOf(number: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${number}/stat`, 'utf8');
    // The command's name is in parentheses, and can hold anything.
    const [, , ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ');
    return `${boot}/${fields[18] ?? ''}`;
  } catch {
    return '';
  }
}

function isAlive(number: number): boolean {
  try {
    process.kill(number, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
