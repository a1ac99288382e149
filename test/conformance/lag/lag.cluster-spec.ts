import { EmbeddedKube } from 'embedded-kube';
import { startControlPlane } from '../../support/clusters/control-plane.js';
import { HttpsSide } from '../https.side.js';
import { EtcdProxy } from './etcd.proxy.js';
import { readFromLaggingMember } from './lagging.reads.js';

describe('a member of the cluster that is behind', () => {
  it('should answer on both servers alike', async () => {
    let proxy: EtcdProxy | undefined;
    const throughProxy = async (port: number): Promise<number> => {
      proxy = await EtcdProxy.start(port);
      return proxy.port;
    };
    const plane = await startControlPlane({ controllers: false, etcd: throughProxy });
    const kube = await EmbeddedKube.start();
    const sides = [new HttpsSide(plane.url, plane.token), new HttpsSide(kube.url, kube.token)] as const;
    try {
      const [expected, actual] = await Promise.all([
        readFromLaggingMember(sides[0], () => {
          proxy!.hold();
          return () => proxy!.release();
        }),
        readFromLaggingMember(sides[1], () => {
          const lag = kube.faults.lag();
          return () => lag.cancel();
        }),
      ]);
      expect(actual).toEqual(expected);
      expect(Object.keys(expected).length).toBeGreaterThan(30);
      expect(JSON.stringify(expected)).toContain('Too large resource version');
    } finally {
      for (const side of sides) side.close();
      await kube.stop();
      await plane.stop();
      proxy?.stop();
    }
  });
});
