import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type PeerCertificate } from 'node:tls';
import type { KubeApi } from '../../client/api.client.js';
import type { Vault } from '../../client/vault/vault.js';
import type { ClusterCertificate, ClusterFacts } from '../../interfaces/admission-server.interface.js';
import type { Clock } from '../../interfaces/clock.interface.js';
import type { KopfLogger } from '../../interfaces/logger.interface.js';
import { errorText } from '../../utils/error-text.js';

/** Seconds to wait for the certificate. */
const TIMEOUT = 5;

/** Finds out what kind of cluster it is, from what its API server says and shows. What cannot be found out is `undefined`. */
export class ApiClusterFacts implements ClusterFacts {
  constructor(
    private readonly api: KubeApi,
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly logger: KopfLogger,
  ) {}

  async gitVersion(): Promise<string | undefined> {
    try {
      const { gitVersion } = await this.api.get<{ gitVersion?: string }>('/version');
      return gitVersion;
    } catch (error) {
      this.logger.debug(`The version of the cluster is not known: ${errorText(error)}`);
      return undefined;
    }
  }

  async certificate(): Promise<ClusterCertificate | undefined> {
    try {
      const { server } = (this.vault.current() ?? (await this.vault.acquire())).info;
      const url = URL.canParse(server) ? new URL(server) : undefined;
      if (url?.protocol !== 'https:') return undefined;
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const servername = isIP(host) ? '' : host;
      // Whether it can be trusted does not matter: it is only looked at, and nothing is sent.
      const options = { host, port: Number(url.port) || 443, servername, rejectUnauthorized: false };
      return readCertificate(await this.look(options));
    } catch (error) {
      this.logger.debug(`The certificate of the API server is not known: ${errorText(error)}`);
      return undefined;
    }
  }

  private look(options: ConnectionOptions): Promise<PeerCertificate> {
    return new Promise((resolve, reject) => {
      const socket = connect(options, () => {
        resolve(socket.getPeerCertificate());
        end();
      });
      const timer = this.clock.setTimer(() => socket.destroy(new Error('There was no answer.')), TIMEOUT * 1000);
      const end = (): void => {
        timer.cancel();
        socket.destroy();
      };
      socket.once('error', (error) => {
        end();
        reject(error);
      });
    });
  }
}

function readCertificate({ subject, issuer, subjectaltname = '' }: PeerCertificate): ClusterCertificate {
  const names = subjectaltname.split(', ').filter(Boolean);
  return { subject: { ...subject } as Name, issuer: { ...issuer } as Name, names };
}

type Name = ClusterCertificate['subject'];
