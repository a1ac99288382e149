import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rm } from 'node:fs/promises';
import { withFileLock } from '../../tools/file-lock.mjs';

const VERSION = '1.44.6';
/** Kubernetes' own client for Python. */
const CLIENT_VERSION = '36.0.3';

const execute = promisify(execFile);

/**
 * Installs Python's Kopf and the official client from their packages into a folder of the user's cache, unless it is there from an earlier run.
 *
 * @returns the path of the Python interpreter that has them: `python -m kopf run …`
 * @throws Error if there is no `python3`, or the package cannot be installed
 */
export async function installPythonKopf(): Promise<string> {
  const folder = kopfFolder();
  // Several files of tests may need it at the same time.
  return withFileLock(`${folder}.lock`, () => install(folder));
}

async function install(folder: string): Promise<string> {
  const python = join(folder, 'bin/python');
  if (await hasKopf(python)) return python;
  try {
    await execute('python3', ['--version']);
  } catch (error) {
    throw new Error('The handover from and to Python needs python3, with its module venv, in the PATH.', {
      cause: error,
    });
  }
  await rm(folder, { recursive: true, force: true });
  await execute('python3', ['-m', 'venv', folder]);
  const packages = [`kopf==${VERSION}`, `kubernetes==${CLIENT_VERSION}`];
  await execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  if (!(await hasKopf(python))) throw new Error(`kopf ${VERSION} was installed into ${folder}, but does not run.`);
  return python;
}

/** The interpreter that an earlier run has installed; undefined if there is none. */
export async function installedPythonKopf(): Promise<string | undefined> {
  const python = join(kopfFolder(), 'bin/python');
  return (await hasKopf(python)) ? python : undefined;
}

function kopfFolder(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'nestjs-kopf', `kopf-${VERSION}-kubernetes-${CLIENT_VERSION}`);
}

async function hasKopf(python: string): Promise<boolean> {
  try {
    const { stdout } = await execute(python, ['-m', 'kopf', '--version']);
    await execute(python, ['-c', `import kubernetes; assert kubernetes.__version__ == '${CLIENT_VERSION}'`]);
    return stdout.includes(VERSION);
  } catch {
    return false;
  }
}
