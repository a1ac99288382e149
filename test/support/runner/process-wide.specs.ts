import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Code that works, or does no harm to other files, only in a process that runs a single file of tests. */
const PROCESS_WIDE = new RegExp(
  [
    // Counts of memory, handles and listeners include what earlier files have left.
    String.raw`\bprocess\.(memoryUsage|getActiveResourcesInfo|listenerCount|eventNames)\b`,
    String.raw`support/measurement/garbage\.js'`,
    String.raw`\bprocess\.chdir\(`,
    // The channels of packages have messages about all files; messages of the library name their operator.
    String.raw`'undici:\w+:\w+'`,
    // All files of a process share the environment, the streams, the globals, and Nest's logger. Vitest restores an environment that it has changed.
    String.raw`\bprocess\.env(\.\w+|\[.+\]) = `,
    // The lines of such a logger depend on the levels that applications of other files have set.
    String.raw`\b(overrideLogger\(|LoggerService\b)`,
    // The command `kopf run` gives Nest its logger.
    String.raw`\bdescribeCommands\(`,
    String.raw`\bvi\.(doMock|hoisted|mock|stubGlobal|useFakeTimers)\(`,
  ].join('|'),
);

/** Code that files after it would notice, unless the file takes it back: they run one after another in a process. */
const TAKEN_BACK: readonly { readonly change: RegExp; readonly undo: RegExp }[] = [
  { change: /\bprocess\.(on|once)\(/, undo: /\bprocess\.off\(/ },
  { change: /\bvi\.spyOn\(/, undo: /\.mockRestore\(|\bvi\.restoreAllMocks\(/ },
];

const FOLDERS = ['libs', 'apps', 'test'];

/** Tests that take longest, most of them as they wait for processes which they start. They are to begin before the others. */
const LONG =
  /^test\/(load\/|packages\/|schedules\/|conformance\/(replicas\/|cli\/process)|e2e\/cli\/dev|docs\/readme\.spec)/;

/**
 * Finds the files of tests that need a process of their own. All others share one process for each core, in which the libraries and
 * their dependencies are loaded once.
 *
 * @param root the folder of the workspace.
 * @returns paths relative to the root.
 */
export function listProcessWideSpecs(root: string): string[] {
  return FOLDERS.flatMap((folder) => findSpecs(root, folder)).filter((file) => isProcessWide(root, file));
}

/** Whether the text of a test file is about the process as a whole. */
export function concernsProcess(text: string): boolean {
  return PROCESS_WIDE.test(text) || TAKEN_BACK.some(({ change, undo }) => change.test(text) && !undo.test(text));
}

/** Whether a file, as a path relative to the root, is among those that take longest. */
export function isLongSpec(path: string): boolean {
  return LONG.test(path);
}

function isProcessWide(root: string, file: string): boolean {
  return concernsProcess(readFileSync(join(root, file), 'utf8'));
}

/** Finds the files of tests in a folder. @returns paths relative to the root. */
export function findSpecs(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : findSpecs(root, path);
    return /\.(spec|e2e-spec)\.ts$/.test(entry.name) ? [path] : [];
  });
}
