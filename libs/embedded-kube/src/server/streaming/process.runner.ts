import { PassThrough, type Writable } from 'node:stream';
import type { PodCommand, PodCommandResult, PodProcess } from '../../controllers/nodes/pod.command.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { RemoteStreams } from './remote.streams.js';

/** The process that a client asks for. */
export interface ProcessRequest {
  readonly pod: KubeObject;
  readonly container: string;
  readonly command: readonly string[];
  readonly tty: boolean;
}

type TerminalSize = { readonly width: number; readonly height: number };

/** Calls the function of a test as a process, and sends the client how it has ended. */
export async function runProcess(script: PodCommand, request: ProcessRequest, streams: RemoteStreams): Promise<void> {
  const stderr = request.tty ? streams.stdout : streams.stderr;
  let status: object;
  try {
    const answer = typeof script === 'function' ? await script(processOf(request, streams)) : script;
    const { stdout, stderr: message, exitCode = 0 }: PodCommandResult = textResult(answer);
    write(streams.stdout, stdout);
    write(stderr, message);
    status = exitCode === 0 ? { metadata: {}, status: 'Success' } : exitStatus(request.command, exitCode);
  } catch (error) {
    const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
    status = { metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 };
  }
  write(streams.error, JSON.stringify(status));
  for (const each of [streams.stdout, streams.stderr, streams.error]) each?.end();
  streams.close();
}

function textResult(answer: string | PodCommandResult | void): PodCommandResult {
  return typeof answer === 'string' ? { stdout: answer } : (answer ?? {});
}

function exitStatus(command: readonly string[], exitCode: number): object {
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: error executing command [${command.join(' ')}], exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function processOf(request: ProcessRequest, { stdin, stdout, stderr, resize, signal }: RemoteStreams): PodProcess {
  const input = stdin ?? new PassThrough().end();
  let size: TerminalSize | undefined;
  resize?.on('data', (chunk: Buffer) => (size = terminalSize(chunk.toString('utf8')) ?? size));
  return {
    ...request,
    stdin: input,
    signal,
    terminalSize: () => size,
    input: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of input) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
    write: (output) => write(stdout, output),
    writeError: (output) => write(request.tty ? stdout : stderr, output),
  };
}

function terminalSize(text: string): TerminalSize | undefined {
  const found = /\{"Width":(\d+),"Height":(\d+)\}\s*$/.exec(text);
  return found ? { width: Number(found[1]), height: Number(found[2]) } : undefined;
}

function write(stream: Writable | undefined, output: string | Uint8Array | undefined): void {
  if (output !== undefined && output.length > 0 && stream?.writable) stream.write(output);
}
