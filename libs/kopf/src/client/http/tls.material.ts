import { readFile, stat } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { CredentialsError, type ConnectionInfo } from '../vault/connection-info.js';

type PathField = 'caPath' | 'certificatePath' | 'privateKeyPath';

const PATH_FIELDS: readonly PathField[] = ['caPath', 'certificatePath', 'privateKeyPath'];

/** The certificates and the key of a connection, as data or in files, which may be replaced at any time. */
export class TlsMaterial {
  readonly #info: ConnectionInfo;

  constructor(info: ConnectionInfo) {
    this.#info = info;
  }

  /** Returns a text that changes when any of the files is replaced; empty if there are no files. */
  async version(): Promise<string> {
    const paths = PATH_FIELDS.map((field) => this.#info[field]).filter((path) => path !== undefined);
    const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
    return stats.map((file) => `${file?.mtimeMs}/${file?.size}/${file?.ino}`).join();
  }

  /**
   * Reads everything into TLS options.
   *
   * @throws CredentialsError that names the file which cannot be read.
   */
  async load(): Promise<ConnectionOptions> {
    const info = this.#info;
    const [ca, cert, key] = await Promise.all([
      this.read('caPath', info.caData),
      this.read('certificatePath', info.certificateData),
      this.read('privateKeyPath', info.privateKeyData),
    ]);
    return {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(info.insecure && { rejectUnauthorized: false }),
      ...(info.tlsServerName && { servername: info.tlsServerName }),
    };
  }

  private async read(field: PathField, data: string | undefined): Promise<string | undefined> {
    const path = this.#info[field];
    if (!path) return data && decodePem(data);
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
      throw new CredentialsError(`Cannot read the ${field} of the credentials: ${path}: ${reason}`);
    }
  }
}

/** Decodes PEM, as it is or in base64 as in kubeconfigs. */
export function decodePem(data: string): string {
  return data.trimStart().startsWith('-----BEGIN ') ? data : Buffer.from(data, 'base64').toString('utf8');
}
