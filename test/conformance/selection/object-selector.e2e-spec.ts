import { EmbeddedKube } from 'embedded-kube';
import type { KubeObject } from 'nestjs-kopf';
import { ObjectSelector } from '../../../libs/kopf/src/resources/object-selector.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';

describe('ObjectSelector', () => {
  it('should select what the API server selects', async () => {
    const kube = await EmbeddedKube.start({
      port: false,
      logger: new MemoryLogger(),
    });
    onTestFinished(() => kube.stop());
    const transport = kube.transport();
    const headers = { 'content-type': 'application/json' };
    const path = '/api/v1/namespaces/default/configmaps';
    const labelled: Record<string, string>[] = [{}, { a: '' }, { a: 'x' }, { a: 'y', b: '7' }, { b: '3' }, { a: '12' }];
    const objects = labelled.map((labels, index) => ({ metadata: { name: `cm-${index}`, labels } }));
    for (const body of objects) {
      await transport.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    }
    const selections = ['a', '!a', 'a=x', 'a!=x', 'a=', 'a in (x,y)', 'a notin (x,)', 'b>5', 'b<5', 'a,!b', 'a>11'];
    for (const labels of selections) {
      const selector = ObjectSelector.parse({ labels });
      const query = new URLSearchParams({ labelSelector: selector.labelSelector! });
      const response = await transport.request({ method: 'GET', path: `${path}?${query}`, headers: {} });
      const { items } = JSON.parse(await response.text()) as { items: KubeObject[] };
      const expected = objects.filter((body) => selector.check(body)).map(({ metadata }) => metadata.name);
      expect([labels, items.map(({ metadata }) => metadata.name)]).toEqual([labels, expected]);
    }
  });
});
