// Compiles the texts that it is given, for compiler.ts: the compiler is busy for seconds without a pause, in which the process of
// the tests could not answer.

import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../../..');

function compile(files) {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const settings = { ...options, noEmit: true, declaration: false, sourceMap: false };
  const host = ts.createCompilerHost(settings);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (path) => files.get(path) ?? readFile.call(host, path);
  host.fileExists = (path) => files.has(path) || fileExists.call(host, path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = files.get(path);
    if (text === undefined) return getSourceFile.call(host, path, version, ...rest);
    return ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram([...files.keys()], settings, host);
  return [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map((diagnostic) => describe(path, diagnostic));
  });
}

function describe(path, { file, start, messageText }) {
  const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
  return `${path}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}

parentPort.postMessage(compile(workerData));
