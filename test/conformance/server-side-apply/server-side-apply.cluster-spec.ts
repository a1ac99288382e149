import { EmbeddedKube } from 'embedded-kube';
import { BUILTIN_SCENARIOS } from './builtin.scenarios.js';
import { CUSTOM_SCENARIOS } from './custom.scenarios.js';
import { LOOSE, MERGERS } from './apply.definitions.js';
import { ApplySide } from './apply.side.js';
import { eventually } from '../../support/time/eventually.js';
import { type ControlPlane, startControlPlane } from '../../support/clusters/control-plane.js';

const PROBES = { Merger: 'namespaces/default/mergers', Loose: 'loose' };

describe('server-side apply on embedded-kube and on a real control plane', () => {
  let controlPlane: ControlPlane;
  let kube: EmbeddedKube;
  let sides: ApplySide[];

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: false });
    kube = await EmbeddedKube.start({ builtinControllers: false });
    sides = [new ApplySide(controlPlane.url, controlPlane.token), new ApplySide(kube.url, kube.token)];
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const side of sides) {
      // Pods need an account, which controllers would make.
      const account = { metadata: { name: 'default' } };
      await side.send({ method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body: account });
      for (const definition of [MERGERS, LOOSE]) await side.send({ method: 'POST', path, body: definition });
      // An application needs the schema, which the real server publishes some time after the resource.
      for (const [kind, collection] of Object.entries(PROBES)) {
        const body = { apiVersion: 'example.com/v1', kind, metadata: { name: 'probe' }, spec: { a: '1' } };
        const target = `/apis/example.com/v1/${collection}/probe?fieldManager=probe&dryRun=All`;
        const probe = { method: 'PATCH', path: target, body, type: 'application/apply-patch+yaml' };
        await eventually('the resource is served', async () => (await side.send(probe)).status === 201);
      }
    }
  });

  afterAll(async () => {
    for (const side of sides ?? []) side.close();
    await kube?.stop();
    await controlPlane?.stop();
  });

  it.each(Object.entries({ ...CUSTOM_SCENARIOS, ...BUILTIN_SCENARIOS }).map(([title, steps]) => ({ title, steps })))(
    'should answer the same: $title',
    async ({ steps }) => {
      const [real, embedded] = await Promise.all(sides.map((side) => side.run(steps)));
      expect(embedded).toEqual(real);
    },
  );
});
