// A lock that processes share by a file, so that two of them do not build or install the same thing at the same time.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** In milliseconds, between two looks at a lock that another process holds. */
const INTERVAL = 200;

/**
 * Waits until no other process holds the lock, holds it while the action runs, and gives what the action returns.
 *
 * @param file exists as long as somebody holds the lock, and names the process; that of a process which has ended counts for nothing.
 */
export async function withFileLock(file, action) {
  mkdirSync(dirname(file), { recursive: true });
  while (!tryLock(file)) await pause(INTERVAL);
  try {
    return await action();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const holder = readHolder(file);
  if (holder !== undefined && !isRunning(holder)) rmSync(file, { force: true });
  return false;
}

/** The process that a lock names; nothing if the lock has gone meanwhile, or is just being written. */
function readHolder(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
