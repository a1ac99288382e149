// What was built from what, so that nothing is built twice: the hashes of a project's inputs and of its outputs, in a file of node_modules.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Says why a project must be built, or nothing if the last build has ended well, and its inputs and outputs are still the same.
 *
 * @param record what the last build has left: `{ inputs, outputs }`, each an object from names to hashes. Absent if it failed or never ended.
 * @param current what is there now, of the same form.
 */
export function findReasonToBuild(record, current) {
  if (!record?.inputs || !record.outputs) return 'it is not built yet';
  return findDifference(record.inputs, current.inputs) ?? findDifference(record.outputs, current.outputs);
}

function findDifference(before, now) {
  for (const name of Object.keys(now)) {
    if (!(name in before)) return `${name} is new`;
    if (before[name] !== now[name]) return `${name} has changed`;
  }
  const missing = Object.keys(before).find((name) => !(name in now));
  return missing && `${missing} is missing`;
}

/**
 * Hashes files by their content, as times of files mean nothing after a checkout.
 *
 * @param root the folder to which the paths are relative.
 * @param paths files and folders; what does not exist has no hash.
 * @param isIncluded is asked for each path of a file or a folder below the folders.
 * @returns the hashes by path, with slashes on each system.
 */
export function hashFiles(root, paths, isIncluded = () => true) {
  const hashes = {};
  const visit = (path) => {
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      const children = readdirSync(join(root, path)).map((name) => `${path}/${name}`);
      for (const child of children) if (isIncluded(child)) visit(child);
    } else if (stats) {
      hashes[path] = createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('base64');
    }
  };
  for (const path of paths) visit(path);
  return hashes;
}

/** Reads a record; one that is absent or broken is undefined. */
export function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Written when a build has ended well. */
export function writeRecord(file, record) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(record, undefined, 1));
}

/** Removed before a build begins, so that one that fails or is interrupted is not taken for complete. */
export function removeRecord(file) {
  rmSync(file, { force: true });
}
