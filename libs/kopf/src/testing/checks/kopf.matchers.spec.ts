import { changeContext, kopfMatchers } from '../index.js';

expect.extend(kopfMatchers);

const conditions = [
  { type: 'Ready', status: 'False', reason: 'NoDisk', message: 'There is no disk.' },
  { type: 'Stale', status: 'Unknown' },
];
const object = {
  kind: 'Database',
  metadata: { name: 'main', finalizers: ['kopf.zalando.org/KopfFinalizerMarker', 'a/b'] },
  status: { conditions },
};

function messageOf(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return (error as Error).message;
  }
  return expect.unreachable('should have failed');
}

describe('matchers', () => {
  it('should find conditions in objects and in patches', () => {
    expect(object).toHaveCondition('Ready');
    expect(object).toHaveCondition('Ready', 'False');
    expect(object).toHaveCondition('Ready', { reason: 'NoDisk', message: /no disk/ });
    expect(object).toHaveCondition('Ready', { reason: expect.stringContaining('Disk') });
    expect(object).not.toHaveCondition('Ready', 'True');
    expect(object).not.toHaveCondition('Other');
    const context = changeContext();
    context.patch.status.conditions = conditions;
    expect(context.patch).toHaveCondition('Ready', 'False');
    expect(context).toHaveCondition('Stale', 'Unknown');
    expect(undefined).not.toHaveCondition('Ready');
  });

  it('should find events', () => {
    const context = changeContext({ name: 'a' });
    context.warn({ reason: 'Full', message: 'The disk is full.' });
    expect(context).toHaveEvent('Full');
    expect(context.events).toHaveEvent({ type: 'Warning', message: /full/ });
    expect(context.events.of({ metadata: { name: 'a', namespace: 'default' } })).toHaveEvent('Full');
    expect(context).not.toHaveEvent({ type: 'Normal' });
    expect(changeContext()).not.toHaveEvent('Full');
  });

  it('should compare patches by what is expected in them', () => {
    const context = changeContext();
    expect(context).not.toBePatchedWith({});
    context.patch.merge({ data: { a: '1', b: null }, list: [{ c: 1 }] });
    expect(context).toBePatchedWith({ data: { a: '1' } });
    expect(context.patch).toBePatchedWith({ data: { b: null }, list: [{ c: expect.any(Number) }] });
    expect(context).not.toBePatchedWith({ data: { a: '2' } });
    expect(context).not.toBePatchedWith({ data: { other: null } });
    expect([{ body: { spec: { a: 1 } } }, { body: { status: { b: 2 } } }]).toBePatchedWith({ status: { b: 2 } });
  });

  it('should find finalizers, by default the one of Kopf', () => {
    expect(object).toHaveFinalizer();
    expect(object).toHaveFinalizer('a/b');
    expect({ metadata: {} }).not.toHaveFinalizer();
  });

  it('should tell what was found instead', () => {
    expect(messageOf(() => expect(object).toHaveCondition('Ready', 'True'))).toMatchInlineSnapshot(`
      "Expected Database 'main' to have a condition 'Ready' with {
        "status": "True",
      }.
      Found: {
        "message": "There is no disk.",
        "reason": "NoDisk",
        "status": "False",
        "type": "Ready",
      }"
    `);
    expect(messageOf(() => expect(object).not.toHaveCondition('Ready', 'False'))).toMatchInlineSnapshot(`
      "Expected Database 'main' not to have a condition 'Ready' with {
        "status": "False",
      }.
      Found: {
        "message": "There is no disk.",
        "reason": "NoDisk",
        "status": "False",
        "type": "Ready",
      }"
    `);
    expect(messageOf(() => expect(object).toHaveCondition('Other'))).toMatchInlineSnapshot(`
      "Expected Database 'main' to have a condition 'Other'.
      Found:
        Ready
        Stale"
    `);
    const context = changeContext();
    expect(messageOf(() => expect(context).toHaveEvent('Full'))).toMatchInlineSnapshot(`
      "Expected the operator to have posted an event with {
        "reason": "Full",
      }.
      Found: no events"
    `);
    context.info({ reason: 'Empty', message: 'Nothing.' });
    expect(messageOf(() => expect(context).toHaveEvent('Full'))).toMatchInlineSnapshot(`
      "Expected the operator to have posted an event with {
        "reason": "Full",
      }.
      Found:
        Normal Empty: Nothing."
    `);
    expect(messageOf(() => expect(context).toBePatchedWith({ spec: { a: 1 } }))).toMatchInlineSnapshot(`
      "Expected the object to have been patched with {
        "spec": {
          "a": 1,
        },
      }.
      Found: no patches"
    `);
    context.patch.spec.a = 2;
    expect(messageOf(() => expect(context).toBePatchedWith({ spec: { a: 1 } }))).toMatchInlineSnapshot(`
      "Expected the object to have been patched with {
        "spec": {
          "a": 1,
        },
      }.
      Found:
        {
          "spec": {
            "a": 2,
          },
        }"
    `);
    expect(messageOf(() => expect({ metadata: { name: 'a' } }).toHaveFinalizer('x/y'))).toMatchInlineSnapshot(`
      "Expected the object 'a' to have the finalizer 'x/y'.
      Found: no finalizers"
    `);
  });

  it('should print the report of a simulation that has found something', () => {
    expect({ findings: [] }).toHaveNoFindings();
    const report = { findings: [{}], toString: () => 'Finding 1' };
    expect(messageOf(() => expect(report).toHaveNoFindings())).toBe(
      'Expected the simulation to find nothing.\nFinding 1',
    );
    expect(messageOf(() => expect({}).toHaveNoFindings())).toContain('is for reports of simulations');
  });
});
