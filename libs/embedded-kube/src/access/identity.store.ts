import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import type { ServerIdentity } from './certificate.authority.js';

const HOSTS = ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'];

/** The token and the certificates, which are in the data folder so that a kubeconfig outlives a restart. */
export class IdentityStore {
  private readonly texts: Map<string, string>;

  /**
   * @param folder `undefined` if nothing is to be kept
   * @param given what another server had, by the names of the files
   */
  constructor(
    private readonly folder: string | undefined,
    given: ReadonlyMap<string, string> = new Map(),
  ) {
    this.texts = new Map(given);
  }

  /** Returns all files that were made so far, by their names. */
  snapshot(): ReadonlyMap<string, string> {
    return new Map(this.texts);
  }

  /** @throws Error if the kept one is no token */
  token(identities: IdentityFactory): string {
    return this.keep('token', () => identities.token(), assertToken);
  }

  /**
   * Returns the key that signs the tokens of service accounts, in PEM.
   *
   * @param generate makes the first one
   * @throws Error if the kept one is no key
   */
  signingKey(generate: () => string): string {
    return this.keep('service-account.key', generate, (text) => createPrivateKey(text));
  }

  /** @param host the address that is listened on. @throws Error if the kept identity is none */
  async serverIdentity(now: number, host: string): Promise<ServerIdentity> {
    const kept = this.read('identity.json');
    if (kept !== undefined) {
      const identity = this.parse(kept);
      if (identity.host === host && identity.caPrivateKey) return identity;
    }
    // The library of certificates takes long to load, and a server in the process may need none.
    const { createServerIdentity } = await import('./certificate.authority.js');
    const identity = await createServerIdentity(now, [...new Set([...HOSTS, host])]);
    this.write('identity.json', JSON.stringify({ host, ...identity }));
    return identity;
  }

  /** @param check throws an error if the text is not what it should be */
  private keep(file: string, generate: () => string, check: (text: string) => void): string {
    const kept = this.read(file);
    if (kept === undefined) {
      const made = generate();
      this.write(file, made);
      return made;
    }
    try {
      check(kept);
      return kept;
    } catch (error) {
      throw this.damaged(file, (error as Error).message);
    }
  }

  private parse(text: string): ServerIdentity & { host: string } {
    try {
      const identity = JSON.parse(text) as ServerIdentity & { host: string };
      new X509Certificate(identity.caCertificate);
      const key = createPrivateKey(identity.privateKey);
      if (!new X509Certificate(identity.certificate).checkPrivateKey(key)) throw new Error('the key is another one');
      return identity;
    } catch (error) {
      throw this.damaged('identity.json', `it holds no certificate with its key (${(error as Error).message})`);
    }
  }

  private damaged(file: string, problem: string): Error {
    const path = join(this.folder ?? '', file);
    return new Error(`${path} is damaged: ${problem}; restore it, or remove the file so that a new one is made`);
  }

  private read(file: string): string | undefined {
    const given = this.texts.get(file);
    if (this.folder === undefined) return given;
    const path = join(this.folder, file);
    if (existsSync(path)) this.texts.set(file, readFileSync(path, 'utf8').trim());
    else if (given !== undefined) this.write(file, given);
    return this.texts.get(file);
  }

  private write(file: string, text: string): void {
    this.texts.set(file, text);
    if (this.folder === undefined) return;
    mkdirSync(this.folder, { recursive: true });
    const path = join(this.folder, file);
    // Written under another name and renamed, so that the file is whole or absent if the process ends in between.
    writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

function assertToken(text: string): void {
  if (!/^\S+$/.test(text)) throw new Error('it holds no token');
}
