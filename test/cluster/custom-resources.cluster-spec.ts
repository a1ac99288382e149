import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArrayMaxSize, Matches, MaxLength } from 'class-validator';
import { EmbeddedKube } from 'embedded-kube';
import { OnCreate, type KopfModuleOptions, type ObjectClass } from 'nestjs-kopf';
import {
  CelRule,
  checkCustomResourceDefinition,
  CustomResource,
  customResourceDefinition,
  type CustomResourceDefinition,
} from 'nestjs-kopf/crd';
import { EphemeralVolumeClaim } from '../../apps/ephemeral-volume-claims/src/claims/claim.js';
import { administrator, credentialsOf, isServed } from '../support/clusters/cluster.access.js';
import { UnexpectedStatusError, type ClusterUser } from '../support/clusters/cluster.user.js';
import { kubectlPath, startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { eventually } from '../support/time/eventually.js';
import { Kubectl } from '../support/clusters/kubectl.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { MemoryLogger } from '../support/telemetry/memory.logger.js';
import { compareValidations } from '../support/generators/random.classes.js';
import { MachineSpec, RangeSpec, versions } from '../docs/examples/custom-resources.example.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let cluster: ControlPlane;
let user: ClusterUser;

beforeAll(async () => {
  cluster = await startControlPlane();
  user = administrator(cluster);
}, 120_000);

afterAll(async () => {
  await user?.close();
  await cluster?.stop();
});

function crdOf(kind: string, spec: ObjectClass): CustomResourceDefinition {
  @CustomResource({ group: 'example.com', kind, spec })
  class Example {}
  return customResourceDefinition(Example);
}

async function define(definition: CustomResourceDefinition): Promise<void> {
  await user.create(DEFINITIONS, definition);
  const { group, names } = definition.spec;
  const path = `/apis/${group}/v1/namespaces/default/${names.plural}`;
  await eventually(`${names.plural} are served`, () => isServed(user, path));
}

async function refusalOf(path: string, object: object): Promise<string | undefined> {
  try {
    await user.create(`${path}?dryRun=All`, object);
    return undefined;
  } catch (error) {
    // Wrong metadata of embedded objects cannot even be decoded.
    if (error instanceof UnexpectedStatusError && [400, 422].includes(error.status)) return error.message;
    throw error;
  }
}

describe('CRDs from classes, on a real API server', () => {
  it.each(
    [versions, crdOf('Machine', MachineSpec), crdOf('Range', RangeSpec)].map(
      (crd) => [crd.metadata.name, crd] as const,
    ),
  )('should be accepted: %s', async (_name, crd) => define(crd));

  it('should have claims of another type refused', async () => {
    await define(customResourceDefinition(EphemeralVolumeClaim));
    const claim = {
      apiVersion: 'kopf.dev/v1',
      kind: 'EphemeralVolumeClaim',
      metadata: { name: 'a' },
      spec: { size: 5 },
    };
    const refusal = await refusalOf('/apis/kopf.dev/v1/namespaces/default/ephemeralvolumeclaims', claim);
    expect(refusal).toContain('spec.size: Invalid value');
  });

  it('should be explained by kubectl as on the embedded server', async () => {
    const kube = await EmbeddedKube.start({ logger: new MemoryLogger() });
    const folder = mkdtempSync(join(tmpdir(), 'explain-'));
    const kubeconfig = join(folder, 'kubeconfig');
    kube.writeKubeconfig(kubeconfig);
    const clients = [cluster.kubeconfigPath, kubeconfig].map((path) => new Kubectl(kubectlPath(), path));
    try {
      const manifest = customResourceDefinition(EphemeralVolumeClaim);
      const texts: string[] = [];
      for (const kubectl of clients) {
        await kubectl.run(['apply', '-f', '-'], manifest);
        const explain = ['explain', 'evc.spec'];
        await eventually('it is explained', async () => (await kubectl.run(explain)).includes('KIND:'));
        texts.push(await kubectl.run(explain));
      }
      expect(texts[0]).toContain('waitAtLeast\t<integer>\n    Seconds for which the volume stays at least');
      expect(texts[1]).toBe(texts[0]);
    } finally {
      for (const kubectl of clients) kubectl.close();
      await kube.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('should agree with class-validator about random objects of random classes', { timeout: 600_000 }, async () => {
    const ask = (plural: string, object: object) =>
      refusalOf(`/apis/example.com/v1/namespaces/default/${plural}`, object);
    const { disagreements, accepted, refused } = await compareValidations(
      { define, ask },
      // More of them on demand.
      { classes: Number(process.env.RANDOM_CLASSES ?? 15), objects: 25 },
    );
    expect(disagreements).toEqual([]);
    expect(Math.min(accepted, refused)).toBeGreaterThan(5);
  });
});

describe('The option crds, on a real API server', () => {
  class VolumeSpec {
    @Matches(/^\d+Gi$/) size: string;
  }
  @CustomResource({ group: 'example.com', spec: VolumeSpec })
  class Volume {}
  class Operator {
    @OnCreate(Volume)
    create() {
      return 'done';
    }
  }
  const name = 'volumes.example.com';
  const path = `${DEFINITIONS}/${name}`;
  const volumes = '/apis/example.com/v1/namespaces/default/volumes';
  const running: LocalOperator[] = [];
  const start = async (options: KopfModuleOptions = {}) => {
    const common = { credentials: credentialsOf(cluster), peering: { standalone: true } };
    const operator = await LocalOperator.start(Operator, { ...common, crds: 'apply', ...options });
    running.push(operator);
    return operator;
  };
  const failureOf = async (options: KopfModuleOptions) => String(await start(options).catch((error: unknown) => error));
  const isGone = async () => (await user.get(path)) === undefined;

  afterEach(async () => {
    await Promise.all(running.splice(0).map((operator) => operator.stop()));
    if (await isGone()) return;
    await eventually('the CRD is served', () => isServed(user, volumes));
    for (const { metadata } of await user.list(volumes))
      await user.patch(`${volumes}/${metadata.name}`, { metadata: { finalizers: null } });
    await user.delete(path).catch(() => undefined);
    await eventually('the CRD is gone', isGone);
  });

  it('should create the CRD once, if two replicas start at once', async () => {
    const replicas = await Promise.all([start(), start()]);
    const { metadata } = (await user.get(path))!;
    expect(metadata.generation).toBe(1);
    const managers = metadata.managedFields as readonly { readonly operation: string }[];
    expect(managers.filter(({ operation }) => operation === 'Apply')).toHaveLength(1);
    await user.create(volumes, { ...volume('a'), spec: { size: '1Gi' } });
    await eventually('it is handled', async () => (await user.get<any>(`${volumes}/a`)).status?.create === 'done');
    expect(replicas.flatMap(({ logger }) => logger.messages('error'))).toEqual([]);
  });

  it('should leave to others what they have applied, or take it over', async () => {
    const definition = customResourceDefinition(Volume);
    const shortNames = {
      ...definition,
      spec: { ...definition.spec, names: { ...definition.spec.names, singular: 'vol' } },
    };
    await user.apply(`${path}?fieldManager=somebody`, shortNames);
    await eventually('the CRD is served', () => isServed(user, volumes));
    const failure = await failureOf({ crds: { mode: 'apply', force: false } });
    expect(failure).toMatch(
      /Another client has applied the CRD volumes\.example\.com.*somebody.*\.spec\.names\.singular/s,
    );
    await start();
    expect((await user.get<any>(path)).spec.names.singular).toBe('volume');
  });

  it('should create a CRD anew that is being deleted, once its handlers have let the objects go', async () => {
    await define(customResourceDefinition(Volume));
    await user.create(volumes, { ...volume('a', ['example.com/wait']), spec: { size: '1Gi' } });
    await user.delete(path);
    const { uid } = (await user.get(path))!.metadata;
    const { logger } = await start();
    expect(logger.messages('warn').join()).toContain(`The CRD ${name} is being deleted`);
    await user.patch(`${volumes}/a`, { metadata: { finalizers: null } });
    await eventually('the CRD is created again', async () => {
      const found = await user.get(path);
      return found !== undefined && found.metadata.uid !== uid && (await isServed(user, volumes));
    });
    await eventually('it is reported', () => logger.messages('log').includes(`The CRD ${name} is created again.`));
    await user.create(volumes, { ...volume('b'), spec: { size: '1Gi' } });
    await eventually(
      'objects are handled',
      async () => (await user.get<any>(`${volumes}/b`)).status?.create === 'done',
    );
  });

  it('should say which rights an account lacks, and start with these', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts';
    await user.create(account, { metadata: { name: 'operator' } });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await user.create(`${account}/operator/token`, request);
    const credentials = { ...credentialsOf(cluster), token: (status as { token: string }).token };
    const failure = await failureOf({ credentials });
    expect(failure).toMatch(
      /may not read the CRD volumes\.example\.com: .*forbidden.*Give it the rights get, create, and patch/s,
    );
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const rules = [
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'create', 'patch', 'list', 'watch'],
      },
      { apiGroups: ['example.com'], resources: ['volumes'], verbs: ['list', 'watch', 'patch'] },
      { apiGroups: [''], resources: ['events', 'namespaces'], verbs: ['create', 'list', 'watch'] },
    ];
    await user.create(`${rbac}/clusterroles`, { metadata: { name: 'operator' }, rules });
    await user.create(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'operator' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'operator' },
      subjects: [{ kind: 'ServiceAccount', name: 'operator', namespace: 'default' }],
    });
    await eventually('the account has the rights', async () => !(await failureOf({ credentials })).includes('rights'));
    expect(await isGone()).toBe(false);
  });

  function volume(objectName: string, finalizers: readonly string[] = []): object {
    return { apiVersion: 'example.com/v1', kind: 'Volume', metadata: { name: objectName, finalizers } };
  }
});

describe('The costs of rules in CEL', () => {
  class Names {
    @CelRule('self.all(x, self.all(y, x == y || x != y))')
    @ArrayMaxSize(2000)
    @MaxLength(20, { each: true })
    names: string[];
  }
  class Texts {
    @CelRule('self.all(x, x.matches("^[a-z]+(-[a-z]+)*$"))')
    @ArrayMaxSize(50_000)
    @MaxLength(4000, { each: true })
    texts: string[];
  }

  it.each([
    ['Names', Names],
    ['Texts', Texts],
  ])('should be estimated as the API server does, within 10 percent: %s', async (kind, spec) => {
    const definition = crdOf(kind, spec);
    const refusal = await refusalOf(DEFINITIONS, definition);
    const [, factor] = /estimated rule cost exceeds budget by factor of ([\d.]+)x/.exec(refusal ?? '') ?? [];
    const error = await checkCustomResourceDefinition(definition).catch((thrown: unknown) => thrown);
    const [, cost] = /The estimated cost is (\d+)/.exec(String(error)) ?? [];
    expect(Number(factor)).toBeGreaterThan(1);
    expect(Math.abs(Number(cost) / 10_000_000 / Number(factor) - 1)).toBeLessThan(0.1);
  });
});
