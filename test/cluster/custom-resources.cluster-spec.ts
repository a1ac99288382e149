import { ArrayMaxSize, MaxLength } from 'class-validator';
import {
  CelRule,
  checkCustomResourceDefinition,
  CustomResource,
  customResourceDefinition,
  type CustomResourceDefinition,
  type ObjectClass,
} from 'nestjs-kopf';
import { EphemeralVolumeClaim } from '../../apps/ephemeral-volume-claims/src/claims/claim.js';
import { administrator, isServed } from '../support/cluster.access.js';
import { UnexpectedStatusError, type ClusterUser } from '../support/cluster.user.js';
import { startControlPlane, type ControlPlane } from '../support/control-plane.js';
import { eventually } from '../support/eventually.js';
import { compareValidations } from '../support/random.classes.js';
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
    if (error instanceof UnexpectedStatusError && error.status === 422) return error.message;
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

  it('should agree with class-validator about random objects of random classes', { timeout: 120_000 }, async () => {
    const ask = (plural: string, object: object) =>
      refusalOf(`/apis/example.com/v1/namespaces/default/${plural}`, object);
    const { disagreements, accepted, refused } = await compareValidations(
      { define, ask },
      { classes: 10, objects: 25 },
    );
    expect(disagreements).toEqual([]);
    expect(Math.min(accepted, refused)).toBeGreaterThan(5);
  });
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
