import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { StandardJsonSchema } from 'nestjs-kopf/crd';
import type { StandardSchema } from 'nestjs-kopf/parameters';
import * as v from 'valibot';
import { z } from 'zod';

const zodSpec = z.object({
  size: z
    .string()
    .regex(/^\d+Gi$/)
    .describe('The size, such as 1Gi.'),
  replicas: z.int().min(1).max(5).default(1),
  mode: z.enum(['fast', 'slow']).optional(),
  port: z.union([z.int(), z.string()]).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  mail: z.email().optional(),
  since: z.iso.datetime().optional(),
  note: z.string().nullable().optional(),
  mounts: z
    .array(z.object({ name: z.string(), path: z.string().min(1) }))
    .max(4)
    .optional(),
  free: z.looseObject({}).optional(),
});

const valibotSpec = v.object({
  size: v.pipe(v.string(), v.regex(/^\d+Gi$/), v.description('The size, such as 1Gi.')),
  replicas: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5)), 1),
  mode: v.optional(v.picklist(['fast', 'slow'])),
  port: v.optional(v.union([v.pipe(v.number(), v.integer()), v.string()])),
  labels: v.optional(v.record(v.string(), v.string())),
  mail: v.optional(v.pipe(v.string(), v.email())),
  since: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  note: v.nullish(v.string()),
  mounts: v.optional(
    v.pipe(v.array(v.object({ name: v.string(), path: v.pipe(v.string(), v.minLength(1)) })), v.maxLength(4)),
  ),
  free: v.optional(v.looseObject({})),
});

/** The same spec, as schemas of several libraries. */
export const LIBRARY_SCHEMAS: readonly [library: string, schema: StandardJsonSchema & StandardSchema][] = [
  ['Zod', zodSpec],
  ['Valibot', toStandardJsonSchema(valibotSpec)],
];

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  size: ['1Gi', '10Gi', '1', 5, null],
  replicas: [1, 5, 0, 6, 1.5, '1'],
  mode: ['fast', 'slow', 'quick', 1],
  port: [80, 'http', true, 1.5],
  labels: [{}, { a: 'b' }, { a: 1 }, 'a'],
  mail: ['a@example.com', 'a', 1],
  since: ['2020-01-31T10:00:00Z', '2020-01-32T10:00:00Z', 'now'],
  note: ['a', null, 1],
  mounts: [
    [],
    [{ name: 'a', path: '/a' }],
    [{ name: 'a' }],
    [{ name: 'a', path: '' }],
    Array(5).fill({ name: 'a', path: 'b' }),
  ],
  free: [{}, { a: { b: 1 } }, 'a'],
};

/** Specs that differ from a valid one in one field: each with what a library says of it. */
export async function* evaluateSpecs({
  '~standard': standard,
}: StandardSchema): AsyncGenerator<[spec: object, isValid: boolean]> {
  for (const [field, values] of Object.entries(VALUES)) {
    for (const value of values) {
      const spec = { size: '1Gi', [field]: value };
      const { issues } = await standard.validate(spec);
      yield [spec, issues === undefined];
    }
  }
  yield [{}, false];
}
