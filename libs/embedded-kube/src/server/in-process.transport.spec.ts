import { EmbeddedKube } from '../embedded-kube.js';
import type { KubeResponse, KubeTransport } from 'kube-common';

/** More than Node takes for a leak. */
const MANY = 30;

describe('InProcessTransport', () => {
  let kube: EmbeddedKube;
  let warnings: Error[];

  const note = (warning: Error): void => void warnings.push(warning);

  beforeEach(async () => {
    warnings = [];
    process.on('warning', note);
    kube = await EmbeddedKube.start({ port: false });
  });

  afterEach(async () => {
    process.off('warning', note);
    await kube.stop();
  });

  const watch = (transport: KubeTransport, signal?: AbortSignal): Promise<KubeResponse> =>
    transport.request({ method: 'GET', path: '/api/v1/namespaces?watch=true', headers: {}, streaming: true, signal });

  /** Reads everything to the end; resolves with the error that ends it, if any. */
  async function drain(response: KubeResponse): Promise<unknown> {
    try {
      for await (const chunk of response.chunks()) void chunk;
      return undefined;
    } catch (error) {
      return error;
    }
  }

  it('should take many watches at once without a warning, and end all of them with one signal', async () => {
    const transport = kube.transport();
    const controller = new AbortController();
    const watches = await Promise.all(Array.from({ length: MANY }, () => watch(transport, controller.signal)));
    const ends = watches.map((response) => drain(response));
    await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await Promise.all(ends)).toEqual(Array.from({ length: MANY }, () => reason));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });

  it('should end all watches when it is closed', async () => {
    const transport = kube.transport();
    const watches = await Promise.all(Array.from({ length: MANY }, () => watch(transport)));
    const ends = watches.map((response) => drain(response));
    await transport.close();
    expect(await Promise.all(ends)).toEqual(
      Array.from({ length: MANY }, () => expect.objectContaining({ message: 'The transport is closed' }) as unknown),
    );
    expect(warnings).toEqual([]);
  });
});
