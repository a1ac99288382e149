import type { Clock } from 'kube-common';
import type { ServerIdentity } from './certificate.authority.js';
import type { IdentityStore } from './identity.store.js';

/** The certificates of a server, made when they are needed first: making them takes longer than a start without them. */
export class ServerCertificates {
  private identity?: Promise<ServerIdentity>;

  constructor(
    private readonly identityStore: IdentityStore,
    private readonly clock: Clock,
    private readonly host: string,
  ) {}

  /** The certificate of the server, with its authority. */
  ofServer(): Promise<ServerIdentity> {
    return (this.identity ??= this.identityStore.serverIdentity(this.clock.now(), this.host));
  }

  /** Signs a request with the key of the authority. @param lifetime in seconds */
  async sign(request: string, usages: readonly string[], lifetime?: number): Promise<string> {
    const { signCertificate } = await import('./certificate.authority.js');
    return signCertificate(await this.ofServer(), request, usages, this.clock.now(), lifetime);
  }
}
