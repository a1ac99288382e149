import { DEFINITIONS_PATH, Harness, WIDGETS, WIDGETS_PATH, widget } from '../../harness.spec-support.js';
import type { StructuralSchema, ValidationRule } from '../schema/structural.schema.js';

let kube: Harness;
beforeEach(async () => {
  kube = await Harness.start();
});
afterEach(() => kube.kube.stop());

const SPEC: StructuralSchema = {
  type: 'object',
  properties: {
    size: { type: 'string', maxLength: 20 },
    min: { type: 'integer' },
    max: { type: 'integer' },
    port: { 'x-kubernetes-int-or-string': true },
    labels: { type: 'object', maxProperties: 10, additionalProperties: { type: 'string', maxLength: 20 } },
    'dashed-name': { type: 'boolean' },
    until: { type: 'string', format: 'date-time' },
    items: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 20 }, value: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.value >= oldSelf.value', message: 'value must not decrease' }],
      },
    },
  },
};

/** Defines widgets whose specs, or the widgets themselves, have rules. */
async function define(rules: ValidationRule[], rootRules: ValidationRule[] = []): Promise<void> {
  const [version] = WIDGETS.spec.versions;
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { ...SPEC, 'x-kubernetes-validations': rules } },
    'x-kubernetes-validations': rootRules,
  };
  const versions = [{ ...version!, additionalPrinterColumns: [], schema: { openAPIV3Schema } }];
  const answer = await kube.post(DEFINITIONS_PATH, { ...WIDGETS, spec: { ...WIDGETS.spec, versions } });
  expect(answer.body.message).toBeUndefined();
}

async function violations(spec: object, name = 'a'): Promise<unknown> {
  const { body, status } = await kube.post(WIDGETS_PATH, widget(name, spec));
  return status === 201 ? 'created' : (body.details?.causes ?? body);
}

describe('a rule of a definition', () => {
  it('should reject what violates it', async () => {
    await define([{ rule: 'self.min <= self.max' }]);
    expect(await violations({ min: 1, max: 2 })).toBe('created');
    const answer = await kube.post(WIDGETS_PATH, widget('b', { min: 3, max: 2 }));
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(
      'Widget.example.com "b" is invalid: spec: Invalid value: failed rule: self.min <= self.max',
    );
  });

  it.each<[Partial<ValidationRule>, { reason: string; message: string; field: string }]>([
    [{ message: 'no' }, { reason: 'FieldValueInvalid', message: 'Invalid value: no', field: 'spec' }],
    [
      { messageExpression: '"%d is more than %d".format([self.min, self.max])', message: 'no' },
      { reason: 'FieldValueInvalid', message: 'Invalid value: 3 is more than 2', field: 'spec' },
    ],
    [
      { messageExpression: 'self.labels["none"]', message: 'no' },
      { reason: 'FieldValueInvalid', message: 'Invalid value: no', field: 'spec' },
    ],
    [
      { reason: 'FieldValueForbidden', message: 'no', fieldPath: '.max' },
      { reason: 'FieldValueForbidden', message: 'Forbidden: no', field: 'spec.max' },
    ],
    [
      { reason: 'FieldValueRequired', message: 'no', fieldPath: ".labels['a.b']" },
      { reason: 'FieldValueRequired', message: 'Required value: no', field: 'spec.labels[a.b]' },
    ],
  ])('should be reported as %j says', async (rule, cause) => {
    await define([{ rule: 'self.min <= self.max', ...rule }]);
    expect(await violations({ min: 3, max: 2 })).toEqual([cause]);
  });

  it.each([
    ['has(self.labels) && self.labels.a == "b"', { labels: { a: 'b' } }, { labels: { a: 'c' } }],
    ['type(self.port) == int ? self.port > 80 : self.port == "http"', { port: 'http' }, { port: 80 }],
    ['!self.dashed__dash__name', { 'dashed-name': false }, { 'dashed-name': true }],
    [
      'self.until > timestamp("2024-01-01T00:00:00Z")',
      { until: '2025-01-01T00:00:00Z' },
      { until: '2023-01-01T00:00:00Z' },
    ],
    ['self.items.exists(i, i.name == "x")', { items: [{ name: 'x', value: 1 }] }, { items: [] }],
    ['quantity(self.size).isLessThan(quantity("1Gi"))', { size: '5Mi' }, { size: '5Gi' }],
  ])('should hold as %s says', async (rule, good, bad) => {
    await define([{ rule }]);
    expect(await violations(good)).toBe('created');
    expect(await violations(bad, 'b')).toEqual([
      { reason: 'FieldValueInvalid', message: `Invalid value: failed rule: ${rule}`, field: 'spec' },
    ]);
  });

  it('should see the name and the kind at the root', async () => {
    await define([], [{ rule: 'self.metadata.name.startsWith("a") && self.kind == "Widget"' }]);
    expect(await violations({})).toBe('created');
    expect(await violations({}, 'b')).toMatchObject([{ field: '<nil>' }]);
  });

  it('should tell what it could not evaluate', async () => {
    await define([{ rule: 'self.labels["a"] == "b"' }]);
    expect(await violations({ labels: {} })).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "object": no such key: a evaluating rule: self.labels["a"] == "b"',
        field: 'spec',
      },
    ]);
  });

  it('should not be evaluated where the schema does not fit', async () => {
    await define([{ rule: 'self.min <= self.max' }]);
    expect(await violations({ min: 'x', max: 1 })).toMatchObject([
      { field: 'spec.min' },
      { field: '<nil>', message: expect.stringContaining('some validation rules were not checked') },
    ]);
  });

  it('should compare with what was before, item by item', async () => {
    await define([{ rule: 'self.max == oldSelf.max' }]);
    await kube.post(WIDGETS_PATH, widget('a', { max: 1, items: [{ name: 'x', value: 2 }] }));
    const path = `${WIDGETS_PATH}/a`;
    const changed = await kube.patch(path, {
      spec: {
        max: 2,
        items: [
          { name: 'y', value: 0 },
          { name: 'x', value: 1 },
        ],
      },
    });
    expect(changed.body.details.causes).toEqual([
      { reason: 'FieldValueInvalid', message: 'Invalid value: failed rule: self.max == oldSelf.max', field: 'spec' },
      { reason: 'FieldValueInvalid', message: 'Invalid value: value must not decrease', field: 'spec.items[1]' },
    ]);
    expect((await kube.patch(path, { spec: { items: [{ name: 'x', value: 3 }] } })).status).toBe(200);
  });

  it('should have an optional value before, if it wants', async () => {
    await define([{ rule: 'oldSelf.hasValue() || self.max == 1', optionalOldSelf: true }]);
    expect(await violations({ max: 2 })).toMatchObject([{ field: 'spec' }]);
    expect(await violations({ max: 1 })).toBe('created');
    expect((await kube.patch(`${WIDGETS_PATH}/a`, { spec: { max: 2 } })).status).toBe(200);
  });

  it('should only warn of what is as it was before the rule came', async () => {
    await define([]);
    await violations({ min: 3, max: 2 });
    await kube.patch(`${DEFINITIONS_PATH}/widgets.example.com`, {
      spec: {
        versions: [
          {
            ...WIDGETS.spec.versions[0],
            additionalPrinterColumns: [],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { ...SPEC, 'x-kubernetes-validations': [{ rule: 'self.min <= self.max' }] } },
              },
            },
          },
        ],
      },
    });
    const path = `${WIDGETS_PATH}/a`;
    const answer = await kube.patch(path, { metadata: { labels: { a: 'b' } } });
    expect(answer.status).toBe(200);
    expect(answer.headers['warning']).toContain('failed rule: self.min <= self.max');
    expect((await kube.patch(path, { spec: { max: 1 } })).status).toBe(422);
  });

  it('should hold for loops in loops', async () => {
    await define([
      {
        rule: 'self.items.all(a, self.items.all(b, self.items.all(c, self.labels.all(k, k != a.name + b.name + c.name))))',
      },
    ]);
    const items = Array.from({ length: 10 }, (_, index) => ({ name: `n${index}`, value: 0 }));
    expect(await violations({ items, labels: { a: 'b' } })).toBe('created');
  });

  it('should have patterns that take no longer than the text is', async () => {
    const [version] = WIDGETS.spec.versions;
    const size = { type: 'string', pattern: '^(a+)+$' };
    const named = { type: 'string', pattern: '(?i)^(?P<first>[[:alpha:]])x$' };
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size, named } } },
    };
    const versions = [{ ...version!, schema: { openAPIV3Schema } }];
    await kube.post(DEFINITIONS_PATH, { ...WIDGETS, spec: { ...WIDGETS.spec, versions } });
    expect(await violations({ size: `${'a'.repeat(10_000)}b` })).toMatchObject([{ field: 'spec.size' }]);
    expect(await violations({ named: 'BX' })).toBe('created');
  });
});
