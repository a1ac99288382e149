import { readFileSync } from 'node:fs';
import { dump, load } from 'js-yaml';
import { AdmissionError, KopfAdmission, Mutate, Validate, type AdmissionContext, type KubeObject } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { makeReview, patchOf } from '../support/webhooks/reviews.js';
import { startSides, type AdmittingSide } from './admission.sides.js';
import { untilServed } from '../support/clusters/cluster.access.js';

const KEX = 'kopfexamples.kopf.dev';
const WRITES = { operations: ['CREATE', 'UPDATE'] } as const;
const EXAMPLES = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const managed = 'auto.kopf.dev';

/** Filters that no two validations have in common, as API servers show whatever answer comes first. */
class Handlers {
  readonly counted: string[] = [];

  @Validate(KEX, { labels: { greeted: 'yes' } })
  sayHello({ warnings }: AdmissionContext) {
    warnings.push("Verified with the operator's hook.");
  }

  @Validate(KEX, WRITES)
  checkNumbers({ spec: { numbers = [] } }: AdmissionContext) {
    if (!Array.isArray(numbers)) throw new AdmissionError('Numbers must be a list if present.');
  }

  @Validate(KEX, WRITES)
  convertibleNumbers({ spec: { numbers }, warnings }: AdmissionContext) {
    if (!Array.isArray(numbers)) return;
    for (const each of numbers.filter((it) => typeof it !== 'number')) {
      if (Number.isNaN(Number(each))) throw new AdmissionError(`Cannot convert '${each}' to a number.`);
      warnings.push(`'${each}' is not a number but can be converted.`);
    }
  }

  @Validate(KEX, WRITES)
  numbersRange({ spec: { numbers } }: AdmissionContext) {
    if (!Array.isArray(numbers)) return;
    if (numbers.some((each) => each < 0 || each > 100)) throw new AdmissionError('Numbers must be below 0..100.', 499);
  }

  @Mutate(KEX, WRITES)
  ensureDefaultNumbers({ spec, patch }: AdmissionContext) {
    if (spec.numbers === undefined) patch.spec.numbers = [1, 2, 3];
  }

  @Mutate(KEX, { ...WRITES, labels: { converted: 'yes' } })
  convertNumbersIfPossible({ spec: { numbers }, patch }: AdmissionContext) {
    if (Array.isArray(numbers))
      patch.spec.numbers = numbers.map((each) => (Number.isNaN(Number(each)) ? each : Number(each)));
  }

  @Mutate(KEX, { ...WRITES, labels: { cleaned: 'yes' } })
  clean({ spec, patch }: AdmissionContext) {
    if (spec.secret !== undefined) patch.spec.secret = null;
  }

  @Validate(KEX, { ...WRITES, field: 'spec.field', value: 'value' })
  validate1() {
    throw new AdmissionError("Meh! I don't like it. Change the field.", 400);
  }

  @Validate(KEX, { operation: 'DELETE', labels: { protected: 'yes' } })
  protect() {
    throw new AdmissionError('It is protected.', 403);
  }

  @Validate(KEX, { operation: 'UPDATE', subresource: 'status' })
  checkStatus({ status, old }: AdmissionContext) {
    if (status.phase === 'Wrong') throw new AdmissionError(`It was ${old!.status?.phase ?? 'nothing'}.`, 422);
  }

  @Mutate(KEX, { operation: 'UPDATE', subresource: 'status' })
  completeStatus({ status, patch }: AdmissionContext) {
    if (status.phase && !status.message) patch.status.message = `It is ${status.phase}.`;
  }

  @Validate(KEX, { operation: 'UPDATE', subresource: 'scale' })
  limitReplicas({ body }: AdmissionContext) {
    const { replicas } = body.spec as { replicas: number };
    if (replicas > 5) throw new AdmissionError(`${replicas} are too many.`, 422);
  }

  @Validate(KEX, { subresource: '*', sideEffects: true })
  count({ operation, subresource, dryrun }: AdmissionContext) {
    if (!dryrun) this.counted.push([operation, subresource].filter(Boolean).join('/'));
  }

  @Validate(KEX, { ...WRITES, field: 'spec.broken' })
  breakDown({ spec }: AdmissionContext) {
    spec.broken.nothing.there();
  }
}

/** A command, the HTTP status of its request if that is refused, and what it prints with both servers. */
type Step = readonly [command: string, input: object | undefined, status: number | 'done', output: string];

const make = (spec: object | undefined, labels = {}, name = 'a'): object => ({
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name, labels },
  ...(spec && { spec }),
});
const denial = (webhook: string, message: string): string =>
  `admission webhook "${webhook}.${managed}" denied the request: ${message}\n(exit code 1)`;
const denied = (webhook: string, message: string): string => `Error from server: ${denial(webhook, message)}`;
const notCreated = (webhook: string, message: string): string =>
  `Error from server: error when creating "STDIN": ${denial(webhook, message)}`;
const MEH = "Meh! I don't like it. Change the field.";
const RANGE = 'Numbers must be below 0..100.';
const BROKEN = 'The admission handler has failed with an internal error; the log of the operator says which.';
const CONVERTIBLE = "Warning: '2' is not a number but can be converted.";
const SSA = 'apply --server-side -f - --field-manager';
const TEAM = { team: 'x' };
const CONFLICT = `error: Apply failed with 1 conflict: conflict with "one": .spec.numbers
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
(exit code 1)`;
const STATUS = 'patch kex b --subresource=status --type=merge -p';

const SCENARIOS: Readonly<Record<string, readonly Step[]>> = {
  'denials with their codes': [
    ['create -f -', make({ numbers: 'none' }), 500, notCreated('checknumbers', 'Numbers must be a list if present.')],
    ['create -f -', make({ numbers: ['x'] }), 500, notCreated('convertiblenumbers', "Cannot convert 'x' to a number.")],
    ['create -f -', make({ numbers: [200] }), 499, notCreated('numbersrange', RANGE)],
    ['create -f -', make({ field: 'value' }), 400, notCreated('validate1.spec.field', MEH)],
    ['create -f -', make({ broken: true }), 500, notCreated('breakdown.spec.broken', BROKEN)],
  ],
  'dry runs': [
    ['create -f - --dry-run=server -o jsonpath={.spec.numbers}', make({}), 'done', '[1,2,3]'],
    [
      'create -f - --dry-run=server',
      make({ numbers: ['2'] }),
      'done',
      `${CONVERTIBLE}\nkopfexample.kopf.dev/a created (server dry run)`,
    ],
    ['create -f - --dry-run=server', make({ field: 'value' }), 400, notCreated('validate1.spec.field', MEH)],
    ['get kex', undefined, 'done', 'No resources found in default namespace.'],
  ],
  'warnings, and defaults': [
    ['create -f -', make({ numbers: ['2'] }), 'done', `${CONVERTIBLE}\nkopfexample.kopf.dev/a created`],
    [
      'apply -f -',
      make(undefined, { greeted: 'yes' }, 'b'),
      'done',
      "Warning: Verified with the operator's hook.\nkopfexample.kopf.dev/b created",
    ],
    ['get kex b -o jsonpath={.spec.numbers}', undefined, 'done', '[1,2,3]'],
    ['apply -f -', make(undefined, { greeted: 'yes' }, 'b'), 'done', 'kopfexample.kopf.dev/b unchanged'],
    ['label kex b greeted-', undefined, 'done', 'kopfexample.kopf.dev/b unlabeled'],
  ],
  changes: [
    ['patch kex b --type=merge -p {"spec":{"numbers":[500]}}', undefined, 499, denied('numbersrange', RANGE)],
    [
      'replace -f -',
      make({ field: 'value' }, {}, 'b'),
      400,
      `Error from server: error when replacing "STDIN": ${denial('validate1.spec.field', MEH)}`,
    ],
    [
      'patch kex b --type=merge -p {"spec":{"numbers":["4","5"],"secret":"x"},"metadata":{"labels":{"converted":"yes","cleaned":"yes"}}}',
      undefined,
      'done',
      'kopfexample.kopf.dev/b patched',
    ],
    ['get kex b -o jsonpath={.spec}', undefined, 'done', '{"numbers":[4,5]}'],
    ['annotate kex b again=yes', undefined, 'done', 'kopfexample.kopf.dev/b annotated'],
    ['get kex b -o jsonpath={.spec}', undefined, 'done', '{"numbers":[4,5]}'],
  ],
  subresources: [
    [`${STATUS} {"status":{"phase":"Good"}}`, undefined, 'done', 'kopfexample.kopf.dev/b patched'],
    [
      'get kex b --subresource=status -o jsonpath={.status}',
      undefined,
      'done',
      '{"message":"It is Good.","phase":"Good"}',
    ],
    [`${STATUS} {"status":{"phase":"Wrong"}}`, undefined, 422, denied('checkstatus', 'It was Good.')],
    ['scale kex b --replicas=3', undefined, 'done', 'kopfexample.kopf.dev/b scaled'],
    ['scale kex b --replicas=9', undefined, 422, denied('limitreplicas', '9 are too many.')],
  ],
  "applying on the server's side": [
    [
      `${SSA} one`,
      make({ numbers: ['2'] }, TEAM, 'c'),
      'done',
      `${CONVERTIBLE}\nkopfexample.kopf.dev/c serverside-applied`,
    ],
    [`${SSA} two`, make({ numbers: [200] }, TEAM, 'c'), 409, CONFLICT],
    [`${SSA} two --force-conflicts`, make({ numbers: [200] }, TEAM, 'c'), 499, denied('numbersrange', RANGE)],
    [
      `${SSA} two --dry-run=server`,
      make({ field: 'value' }, TEAM, 'c'),
      400,
      `${CONVERTIBLE}\n${denied('validate1.spec.field', MEH)}`,
    ],
    [`${SSA} one`, make(undefined, TEAM, 'c'), 'done', 'kopfexample.kopf.dev/c serverside-applied'],
    ['get kex c -o jsonpath={.spec}', undefined, 'done', '{"numbers":[1,2,3]}'],
    [
      'get kex c --show-managed-fields -o jsonpath={.metadata.managedFields[*].fieldsV1}',
      undefined,
      'done',
      '{"f:metadata":{"f:labels":{"f:team":{}}}}',
    ],
    ['delete kex c', undefined, 'done', 'kopfexample.kopf.dev "c" deleted'],
  ],
  deletions: [
    ['label kex b protected=yes', undefined, 'done', 'kopfexample.kopf.dev/b labeled'],
    ['delete kex b', undefined, 403, denied('protect', 'It is protected.')],
    ['delete kex b --dry-run=server', undefined, 403, denied('protect', 'It is protected.')],
    ['label kex b protected-', undefined, 'done', 'kopfexample.kopf.dev/b unlabeled'],
    ['delete kex b --dry-run=server', undefined, 'done', 'kopfexample.kopf.dev "b" deleted (server dry run)'],
    ['delete kex b', undefined, 'done', 'kopfexample.kopf.dev "b" deleted'],
    ['delete kex --all', undefined, 'done', 'kopfexample.kopf.dev "a" deleted'],
  ],
};

describe('kubectl with admission handlers', () => {
  let sides: readonly AdmittingSide[];
  let operators: LocalOperator[];

  beforeAll(async () => {
    operators = [];
    sides = await startSides();
    for (const side of sides) operators.push(await start(side));
  });

  afterAll(async () => {
    for (const operator of operators ?? []) await operator.stop();
    await Promise.all((sides ?? []).map((side) => side.stop()));
  });

  it.each(Object.entries(SCENARIOS))('should print the same with both servers: %s', async (_title, steps) => {
    for (const [command, input, status, output] of steps) {
      const outputs = await Promise.all(sides.map(({ kubectl }) => kubectl.run(command.split(' '), input)));
      expect(outputs, command).toEqual([output, output]);
      if (status === 'done') continue;
      const statuses = await Promise.all(sides.map(({ kubectl }) => kubectl.statuses(command.split(' '), input)));
      expect(
        statuses.map((each) => each.at(-1)),
        command,
      ).toEqual([status, status]);
    }
  });

  it('should have told handlers with side effects what was no dry run, the refused requests included', () => {
    const counts = operators.map((operator) => countEach(operator.get(Handlers).counted));
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[0]).toMatchObject({ 'UPDATE/scale': 3, 'UPDATE/status': 3 });
  });

  it('should have nothing to change in what was changed already', async () => {
    for (const [index, { kubectl, user }] of sides.entries()) {
      const admission = operators[index].get(KopfAdmission);
      await kubectl.run(['create', '-f', '-'], make({ secret: 'x' }, { converted: 'yes', cleaned: 'yes' }, 'twice'));
      const body = (await user.get(`${EXAMPLES}/twice`)) as KubeObject;
      expect(body.spec).toEqual({ numbers: [1, 2, 3] });
      const answer = await admission.review(makeReview(body, { operation: 'UPDATE', oldObject: body }), {
        headers: {},
      });
      expect(answer.response.allowed).toBe(true);
      expect(patchOf(answer)).toBeUndefined();
    }
  });
});

function countEach(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** A kubeconfig by which the operator is not the user of kubectl: handlers for all subresources do not review the operator's own writes. */
function impersonating(name: string, kubeconfig: string): string {
  const config = load(kubeconfig) as { users: { user: object }[] };
  for (const { user } of config.users) Object.assign(user, { as: name, 'as-groups': ['system:masters'] });
  return dump(config);
}

async function start({ kubeconfigPath, user, kubectl }: AdmittingSide): Promise<LocalOperator> {
  const definition = customResource({ statusSubresource: true });
  const [version] = definition.spec.versions;
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  Object.assign(version, { subresources: { status: {}, scale } });
  Object.assign(definition.spec.names, { shortNames: ['kex'] });
  await user.create(DEFINITIONS, definition);
  await untilServed(user, definition);
  const server = new WebhookServer({ addr: '127.0.0.1' });
  const credentials = impersonating('operator', readFileSync(kubeconfigPath, 'utf8'));
  const operator = await LocalOperator.start(Handlers, { credentials, admission: { managed, server } });
  await operator.ready();
  await eventually('the webhooks are called', async () =>
    (await kubectl.run(['create', '-f', '-', '--dry-run=server'], make({ numbers: 'none' }))).includes('denied'),
  );
  return operator;
}
