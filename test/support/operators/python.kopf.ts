import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rm } from 'node:fs/promises';
import { withFileLock } from '../../tools/file-lock.mjs';

/** The version of Python's Kopf that recordings are made from, and that operators are compared with. */
export const KOPF_VERSION = '1.45.2';
/** An older version, whose objects must be handed over as well. */
export const FORMER_KOPF_VERSION = '1.44.6';
/** Kubernetes' own client for Python. */
const CLIENT_VERSION = '36.0.3';

const execute = promisify(execFile);

/**
 * Installs Python's Kopf and the official client from their packages into a folder of the user's cache, unless it is there from an earlier run.
 *
 * @returns the path of the Python interpreter that has them: `python -m kopf run …`
 * @throws Error if there is no `python3`, or the package cannot be installed
 */
export async function installPythonKopf(version = KOPF_VERSION): Promise<string> {
  const folder = kopfFolder(version);
  // Several files of tests may need it at the same time.
  return withFileLock(`${folder}.lock`, () => install(folder, version));
}

async function install(folder: string, version: string): Promise<string> {
  const python = join(folder, 'bin/python');
  if (await hasKopf(python, version)) return python;
  try {
    await execute('python3', ['--version']);
  } catch (error) {
    throw new Error('The handover from and to Python needs python3, with its module venv, in the PATH.', {
      cause: error,
    });
  }
  await rm(folder, { recursive: true, force: true });
  await execute('python3', ['-m', 'venv', folder]);
  const packages = [`kopf==${version}`, `kubernetes==${CLIENT_VERSION}`];
  await execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  if (!(await hasKopf(python, version)))
    throw new Error(`kopf ${version} was installed into ${folder}, but does not run.`);
  return python;
}

/** The interpreter that an earlier run has installed; undefined if there is none. */
export async function installedPythonKopf(): Promise<string | undefined> {
  const python = join(kopfFolder(KOPF_VERSION), 'bin/python');
  return (await hasKopf(python, KOPF_VERSION)) ? python : undefined;
}

function kopfFolder(version: string): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'nestjs-kopf', `kopf-${version}-kubernetes-${CLIENT_VERSION}`);
}

async function hasKopf(python: string, version: string): Promise<boolean> {
  try {
    const { stdout } = await execute(python, ['-m', 'kopf', '--version']);
    await execute(python, ['-c', `import kubernetes; assert kubernetes.__version__ == '${CLIENT_VERSION}'`]);
    return stdout.includes(version);
  } catch {
    return false;
  }
}
