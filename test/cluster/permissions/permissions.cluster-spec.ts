import type { ConnectionInfo, KopfModuleOptions } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { generateManifests, verifyPermissions, type GeneratedManifests } from 'nestjs-kopf-cli';
import { APPS } from '../../e2e/manifests/apps.js';
import { isIn, withoutEachRule, withoutEachVerb, type RbacObject } from '../../e2e/manifests/removals.js';
import { SCENARIOS } from '../../e2e/manifests/scenarios.js';
import { eventually } from '../../support/time/eventually.js';
import { findFreePort } from '../../support/programs/free.port.js';
import { PermittedControlPlane, type Refusal } from './permitted.control-plane.js';

/** Takes out each verb instead of each rule, which takes minutes: with RULES=verbs. */
const withoutEach = process.env.RULES === 'verbs' ? withoutEachVerb : withoutEachRule;

/** The objects that the applications and their scenarios leave, webhooks first. */
const TRACES: Readonly<Record<string, readonly string[]>> = {
  'ephemeral-volume-claims': [
    '/apis/kopf.dev/v1/ephemeralvolumeclaims',
    '/api/v1/pods',
    '/api/v1/persistentvolumeclaims',
    '/api/v1/persistentvolumes',
  ],
  'load-tests': ['/apis/example.org/v1/loadtests', '/apis/example.org/v1/simpledeployments', '/api/v1/pods'],
  'inventory-api': [
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    '/apis/example.com/v1/inventoryitems',
    '/api/v1/secrets',
  ],
};

let cluster: PermittedControlPlane;

beforeAll(async () => {
  cluster = await PermittedControlPlane.start();
});

afterAll(() => cluster?.stop());

describe.each(Object.entries(APPS))(
  'On a real control plane, the generated rules of the application %s',
  (name, app) => {
    let options: KopfModuleOptions = {};
    let generated: GeneratedManifests;
    let roles: readonly RbacObject[];

    beforeAll(async () => {
      await cluster.define(app.options.crds ?? []);
      if (name === 'inventory-api') {
        options = { admission: { managed: 'inventory.example.com', server: await createServer(name) } };
      }
      generated = await generateManifests(app.createModule(options), app.options);
      roles = generated.objects['rbac.yaml'] as readonly RbacObject[];
    });

    /** Waits until the cluster has the rules, and gives what the operator lacks by its own account. */
    async function permit(objects: readonly RbacObject[], isExpected: (lacking: readonly Refusal[]) => boolean) {
      const credentials = await cluster.permit(objects);
      const { permissions: required } = generated;
      const findings = await eventually('the rules are in force', async () => {
        const found = verifyPermissions({ required, granted: await cluster.review(credentials) });
        return isExpected(found.flatMap(({ permissions }) => permissions)) && found;
      });
      return { credentials, findings };
    }

    async function run(credentials: ConnectionInfo, isEnough?: (refusal: Refusal) => boolean) {
      const createModule = (more: KopfModuleOptions) => app.createModule({ ...options, ...more });
      try {
        return await cluster.run(createModule, credentials, SCENARIOS[name], isEnough);
      } finally {
        await cluster.clean(TRACES[name]);
      }
    }

    // The tutorial runs with the rules of the claims: tutorial.cluster-spec.ts.
    it.runIf(name !== 'ephemeral-volume-claims')('should permit all that it does', async () => {
      const { credentials } = await permit(roles, (lacking) => lacking.length === 0);
      expect(await run(credentials)).toEqual({ refusals: expect.toSatisfy(onlyOptional), error: undefined });
    });

    it('should each be missed when it is taken out', async () => {
      for (const { removed, objects } of withoutEach(roles)) {
        const { credentials, findings } = await permit(objects, (lacking) =>
          lacking.some((each) => isIn(removed, each)),
        );
        expect(findings.map(({ kind }) => kind)).toEqual(findings.map(() => 'missing'));
        expect(findings.every(({ permissions }) => permissions.every((each) => isIn(removed, each)))).toBe(true);
        const { refusals, error } = await run(credentials, (refusal) => isIn(removed, refusal));
        const title = `${JSON.stringify(removed)}: ${String(error)}`;
        expect(refusals.filter((refusal) => isIn(removed, refusal)).length, title).toBeGreaterThan(0);
      }
    });
  },
);

/** An operator of some namespaces asks for CRDs without being allowed to. */
function onlyOptional(refusals: readonly Refusal[]): boolean {
  return refusals.every(({ resource }) => resource === 'customresourcedefinitions');
}

/** A server of webhooks that the API server reaches by a service. */
async function createServer(name: string): Promise<WebhookServer> {
  const port = await findFreePort();
  await cluster.expose(name);
  const service = { name, namespace: 'default', port };
  // The certificate is replaced after two thirds of its lifetime.
  const secret = { name: `${name}-webhooks`, namespace: 'default', lifetime: 12, interval: 1, bundleDelay: 1 };
  return new WebhookServer({ addr: '127.0.0.1', port, service, secret, closeDelay: 0, closeTimeout: 0 });
}
