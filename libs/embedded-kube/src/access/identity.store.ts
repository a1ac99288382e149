import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import { createServerIdentity, type ServerIdentity } from './certificate.authority.js';

const HOSTS = ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'];

/** Keeps the token and the certificates in the data folder, so that a kubeconfig outlives a restart. */
export class IdentityStore {
  /** @param folder `undefined` if nothing is to be kept */
  constructor(private readonly folder: string | undefined) {}

  token(identities: IdentityFactory): string {
    return this.remembered('token', () => identities.token());
  }

  /** The key that signs the tokens of service accounts, in PEM. @param generate makes the first one */
  signingKey(generate: () => string): string {
    return this.remembered('service-account.key', generate);
  }

  /** @param host the address that is listened on */
  async serverIdentity(now: number, host: string): Promise<ServerIdentity> {
    const kept = this.read('identity.json');
    if (kept !== undefined) {
      const identity = JSON.parse(kept) as ServerIdentity & { host: string };
      if (identity.host === host) return identity;
    }
    const identity = await createServerIdentity(now, [...new Set([...HOSTS, host])]);
    this.write('identity.json', JSON.stringify({ host, ...identity }));
    return identity;
  }

  private remembered(file: string, make: () => string): string {
    const kept = this.read(file);
    if (kept !== undefined) return kept;
    const made = make();
    this.write(file, made);
    return made;
  }

  private read(file: string): string | undefined {
    if (this.folder === undefined || !existsSync(join(this.folder, file))) return undefined;
    return readFileSync(join(this.folder, file), 'utf8').trim();
  }

  private write(file: string, text: string): void {
    if (this.folder === undefined) return;
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, file), `${text}\n`, { mode: 0o600 });
  }
}
