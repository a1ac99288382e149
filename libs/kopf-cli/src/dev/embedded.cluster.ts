import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorText } from 'kube-common';
import { CommandError } from '../exit.codes.js';

/** The options of the API server of `kopf dev`. */
export interface EmbeddedClusterOptions {
  readonly folder: string;
  /** 0 for a free one. */
  readonly port: number;
  /** The folder that keeps its objects. */
  readonly data?: string;
  /** The kubeconfig for people. */
  readonly kubeconfig: string;
}

/** An API server in this process. */
export interface EmbeddedCluster {
  readonly url: string;
  /** A kubeconfig that other sessions do not overwrite as long as the server runs. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** The members of the package that are used here. */
interface DevServerPackage {
  readonly EmbeddedKube: {
    start(options: object): Promise<{
      readonly url: string;
      writeKubeconfig(path: string): void;
      stop(): Promise<void>;
    }>;
  };
}

const PACKAGE: string = 'embedded-kube';

/**
 * Starts an API server, with the controllers of a real cluster and with pods that run for show.
 *
 * @throws CommandError if the package is not installed, or the server cannot start.
 */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { folder, port, data, kubeconfig } = options;
  const { EmbeddedKube } = await importPackage(folder);
  const own = mkdtempSync(join(tmpdir(), 'kopf-dev-'));
  const removeOwn = (): void => rmSync(own, { recursive: true, force: true });
  try {
    const kept = data === undefined ? {} : { data: resolve(folder, data) };
    const kube = await EmbeddedKube.start({ port, pods: { events: true }, ...kept });
    const path = join(own, 'kubeconfig');
    kube.writeKubeconfig(path);
    mkdirSync(dirname(kubeconfig), { recursive: true });
    kube.writeKubeconfig(kubeconfig);
    const stop = async (): Promise<void> => {
      await kube.stop();
      removeOwn();
    };
    return { url: kube.url, kubeconfig: path, stop };
  } catch (error) {
    removeOwn();
    throw new CommandError(`The API server cannot start: ${errorText(error)}`, { cause: error });
  }
}

/** The project's own package comes before the one that is installed beside this one. */
async function importPackage(folder: string): Promise<DevServerPackage> {
  let address = PACKAGE;
  try {
    address = pathToFileURL(createRequire(join(folder, 'kopf.js')).resolve(PACKAGE)).href;
  } catch {
    // It may be installed for the whole machine.
  }
  try {
    return (await import(/* @vite-ignore */ address)) as DevServerPackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandError(
      'kopf dev needs an API server: install the package embedded-kube (npm install --save-dev embedded-kube), or name a cluster by --context.',
      { cause: error },
    );
  }
}
