import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file that this session alone writes, as long as it runs. */
export interface ClaimedFile {
  readonly path: string;
  /** Releases the path for other sessions. */
  release(): void;
}

/**
 * Claims a path for this process: the wanted one, or else, where another session that still runs has claimed it, one with a number at its end.
 * The claim is a file beside it with the number of the process, so that one of a session that has crashed does not count.
 */
export function claimFile(wanted: string): ClaimedFile {
  mkdirSync(dirname(wanted), { recursive: true });
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? wanted : `${wanted}-${number}`;
    const claim = `${path}.pid`;
    if (isRunning(ownerOf(claim))) continue;
    rmSync(claim, { force: true });
    try {
      writeFileSync(claim, String(process.pid), { flag: 'wx' });
    } catch (error) {
      // Another session was faster.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    return { path, release: () => rmSync(claim, { force: true }) };
  }
}

/** Returns the process that has claimed the path, if there is one. */
function ownerOf(claim: string): number | undefined {
  try {
    return Number(readFileSync(claim, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user counts as running, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
