import { type KubeRequest, type KubeTransport, parseJson } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';
import { FOREIGN_ANNOTATION, FOREIGN_MARK } from '../oracles/final.state.js';
import { placeOf } from './request.place.js';

/** Another client of the cluster, which changes an object just before the operator writes it. */
export class OtherClient {
  private marks = 0;

  constructor(private readonly transport: KubeTransport) {}

  /**
   * Changes the object of a request, so that its resource version differs.
   *
   * @param stays leaves the change in place.
   * @returns false if there is no such object.
   */
  async touch(request: KubeRequest, stays: boolean): Promise<boolean> {
    const path = placeOf(request)?.object;
    if (!path || request.method === 'POST') return false;
    const object = await this.read(path);
    if (!object) return false;
    const before = object.metadata.annotations?.[FOREIGN_ANNOTATION];
    const changed = await this.annotate(path, `${FOREIGN_MARK} ${(this.marks += 1)}`);
    const isForeign = before === undefined || before.startsWith(FOREIGN_MARK);
    if (changed && !(stays && isForeign)) await this.annotate(path, before ?? null);
    return changed;
  }

  private async read(path: string): Promise<KubeObject | undefined> {
    const response = await this.transport.request({ method: 'GET', path, headers: HEADERS });
    return response.status < 300 ? (parseJson(await response.text()) as KubeObject) : undefined;
  }

  private async annotate(path: string, value: string | null): Promise<boolean> {
    const headers = { ...HEADERS, 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ metadata: { annotations: { [FOREIGN_ANNOTATION]: value } } });
    const { status } = await this.transport.request({ method: 'PATCH', path, headers, body });
    return status < 300;
  }
}

const HEADERS = { 'user-agent': 'another client' };
