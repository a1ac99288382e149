import { Type } from 'class-transformer';
import * as v from 'class-validator';
import type { ChangeContext } from '../contexts/contexts.interface.js';
import { OnCreate } from '../decorators/change.decorators.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { CustomResource } from './custom-resource.decorator.js';
import type { ObjectClass } from '../resources/object-class.js';
import { customResourceDefinition, customResourceDefinitions } from './custom-resource.definition.js';
import * as f from './field.decorators.js';
import { AtMostOneOf, CelRule, ExactlyOneOf, Immutable } from './rule.decorators.js';
import type { SchemaNode } from './schema/schema.node.js';

enum Color {
  Red = 'red',
  Green = 'green',
}

class DiskSpec {
  @f.Description('The size, such as 1Gi.') @v.Matches(/^\d+Gi$/) size: string;
  @v.IsOptional() @v.IsInt() @v.Min(1) @v.Max(5) replicas?: number;
}

class DiskStatus {
  @v.IsOptional() @v.IsIn(['Ready', 'Failed']) phase?: string;
}

@CustomResource({
  group: 'example.com',
  shortNames: ['dk'],
  categories: ['all'],
  printerColumns: [{ name: 'Size', jsonPath: '.spec.size' }],
  subresources: { status: true, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  selectableFields: ['.spec.size'],
})
@f.Description('A disk of a machine.')
class Disk {
  @v.ValidateNested() spec: DiskSpec;
  @v.ValidateNested() status?: DiskStatus;
}

/** The schema of a spec with the properties of a class. */
function specOf(type: ObjectClass): SchemaNode {
  @CustomResource({ group: 'example.com', kind: 'Example', spec: type })
  class Example {}
  return customResourceDefinition(Example).spec.versions[0].schema.openAPIV3Schema.properties!.spec;
}

function errorsOf(type: ObjectClass): readonly string[] {
  try {
    specOf(type);
  } catch (error) {
    expect(error).toBeInstanceOf(KopfBootstrapError);
    return (error as KopfBootstrapError).errors;
  }
  return [];
}

describe('customResourceDefinition()', () => {
  it('should make a CRD of a class', () => {
    expect(customResourceDefinition(Disk)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'disks.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: {
          kind: 'Disk',
          listKind: 'DiskList',
          plural: 'disks',
          singular: 'disk',
          shortNames: ['dk'],
          categories: ['all'],
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
            selectableFields: [{ jsonPath: '.spec.size' }],
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            },
            schema: {
              openAPIV3Schema: {
                description: 'A disk of a machine.',
                type: 'object',
                required: ['spec'],
                properties: {
                  spec: {
                    type: 'object',
                    required: ['size'],
                    properties: {
                      size: { description: 'The size, such as 1Gi.', type: 'string', pattern: '^\\d+Gi$' },
                      replicas: { type: 'integer', minimum: 1, maximum: 5 },
                    },
                  },
                  status: {
                    type: 'object',
                    properties: { phase: { type: 'string', enum: ['Ready', 'Failed'] } },
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
              },
            },
          },
        ],
      },
    });
  });

  it('should type the contexts of handlers that are declared for the class', () => {
    class Operator {
      @OnCreate(Disk)
      create({ spec, status }: ChangeContext<DiskSpec, DiskStatus>) {
        expectTypeOf(spec.replicas).toEqualTypeOf<number | undefined>();
        expectTypeOf(status.phase).toEqualTypeOf<string | undefined>();
      }
      @OnCreate(Disk, { retries: 1 })
      any(_context: ChangeContext) {}
      // @ts-expect-error: it is the status of a disk, not its spec.
      @OnCreate(Disk)
      swapped(_context: ChangeContext<{ phase: number }>) {}
      // @ts-expect-error: there is no such option.
      @OnCreate(Disk, { retires: 1 })
      misspelt() {}
    }
    expect(Operator).toBeDefined();
  });

  it('should make one CRD of the versions of a resource, the newest one stored', () => {
    @CustomResource({ group: 'example.com', version: 'v1beta1', kind: 'Disk', deprecated: 'use v1', served: false })
    class OldDisk {
      @f.PreserveUnknownFields() spec?: object;
    }
    @CustomResource({ group: 'example.com', scope: 'Cluster' })
    class Policy {}
    const [disks, policies, ...rest] = customResourceDefinitions([Policy, OldDisk, Disk, Disk]);
    expect(rest).toEqual([]);
    expect(disks.spec.versions).toMatchObject([
      { name: 'v1', storage: true, served: true },
      { name: 'v1beta1', storage: false, served: false, deprecated: true, deprecationWarning: 'use v1' },
    ]);
    expect(policies.metadata.name).toBe('policies.example.com');
    expect(policies.spec.scope).toBe('Cluster');
  });

  it('should convert the rules of class-validator', () => {
    class Nested {
      @v.IsNotEmpty() @v.IsString() name: string;
    }
    class Spec {
      @v.IsBoolean() flag: boolean;
      @v.IsNumber() ratio: number;
      @v.IsPositive() @v.IsInt() positive: number;
      @v.Length(1, 3) short: string;
      @v.IsEnum(Color) color: Color;
      @v.IsUUID('4') uuid: string;
      @v.IsDateString() since: string;
      @v.IsIP() address: string;
      @v.IsNotIn(['root']) @v.IsString() user: string;
      @v.ArrayUnique() @v.ArrayMinSize(1) @v.ArrayMaxSize(9) @v.IsString({ each: true }) tags: string[];
      @v.IsInt({ each: true }) ports: number[];
      @v.ValidateNested() nested: Nested;
      @v.ValidateNested({ each: true }) @Type(() => Nested) list: Nested[];
      @v.IsObject() anything: object;
      @v.Matches(/^a/i) @v.Matches(/b\/c$/) twice: string;
    }
    expect(specOf(Spec).properties).toEqual({
      flag: { type: 'boolean' },
      ratio: { type: 'number' },
      positive: { type: 'integer', minimum: 0, exclusiveMinimum: true },
      short: { type: 'string', minLength: 1, maxLength: 3 },
      color: { type: 'string', enum: ['red', 'green'] },
      uuid: { type: 'string', format: 'uuid4' },
      since: { type: 'string', format: 'date-time' },
      address: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
      user: { type: 'string', not: { enum: ['root'] } },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 9, 'x-kubernetes-list-type': 'set' },
      ports: { type: 'array', items: { type: 'integer' } },
      nested: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
      list: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
      },
      anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      twice: { type: 'string', pattern: '(?i)^a', allOf: [{ pattern: 'b/c$' }] },
    });
    expect(specOf(Spec).required).toHaveLength(15);
  });

  it('should take the types of properties where there are no rules', () => {
    class Part {
      @f.Field() name: string;
    }
    class Base {
      @f.Field() inherited: string;
    }
    class Spec extends Base {
      @f.Field() count: number;
      @f.Field() flag: boolean;
      @f.Field() at: Date;
      @f.Field() part: Part;
      @f.Field({ listOf: String }) names: string[];
      @f.Field({ listOf: () => Part }) parts: Part[];
      @v.IsOptional() @f.Field({ mapOf: Number }) weights?: Record<string, number>;
    }
    const part = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    expect(specOf(Spec)).toEqual({
      type: 'object',
      required: ['inherited', 'count', 'flag', 'at', 'part', 'names', 'parts'],
      properties: {
        inherited: { type: 'string' },
        count: { type: 'number' },
        flag: { type: 'boolean' },
        at: { type: 'string', format: 'date-time' },
        part,
        names: { type: 'array', items: { type: 'string' } },
        parts: { type: 'array', items: part },
        weights: { type: 'object', additionalProperties: { type: 'number' } },
      },
    });
  });

  it('should say what class-validator has no word for', () => {
    class Item {
      @v.IsString() name: string;
    }
    class Spec {
      @f.Default(1) @v.IsInt() replicas: number;
      @f.Nullable() @v.IsString() note: string | null;
      @f.IntOrString() port: number | string;
      @f.ListType('map', ['name']) @v.ValidateNested({ each: true }) @Type(() => Item) items: Item[];
      @f.PreserveUnknownFields() values: object;
      @f.EmbeddedResource() template: object;
    }
    expect(specOf(Spec)).toMatchObject({
      required: ['note', 'port', 'items', 'values', 'template'],
      properties: {
        replicas: { type: 'integer', default: 1 },
        note: { type: 'string', nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        items: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        values: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    });
    expect(specOf(Spec).properties!.port).not.toHaveProperty('type');
  });

  it('should have the API server evaluate rules', () => {
    @CelRule('self.min <= self.max', { message: 'min is above max', fieldPath: '.min', reason: 'FieldValueInvalid' })
    @AtMostOneOf('a', 'b')
    @ExactlyOneOf('min', 'x-y')
    class Spec {
      @v.IsOptional() @v.IsInt() min?: number;
      @v.IsInt() max: number;
      @v.IsOptional() @v.IsInt() 'x-y'?: number;
      @Immutable() @v.IsOptional() @v.IsString() a?: string;
      @CelRule('self != "x"', { messageExpression: '"not " + self', optionalOldSelf: true }) @v.IsString() b: string;
    }
    const spec = specOf(Spec);
    expect(spec['x-kubernetes-validations']).toEqual([
      { rule: 'self.min <= self.max', message: 'min is above max', fieldPath: '.min', reason: 'FieldValueInvalid' },
      {
        rule: '[has(self.a), has(self.b)].filter(x, x == true).size() <= 1',
        message: 'at most one of the fields in [a b] may be set',
      },
      {
        rule: '[has(self.min), has(self.x__dash__y)].filter(x, x == true).size() == 1',
        message: 'exactly one of the fields in [min x-y] must be set',
      },
      { rule: 'has(self.a) == has(oldSelf.a)', message: 'a is immutable' },
    ]);
    expect(spec.properties!.a['x-kubernetes-validations']).toEqual([
      { rule: 'self == oldSelf', message: 'a is immutable' },
    ]);
    expect(spec.properties!.b['x-kubernetes-validations']).toEqual([
      { rule: 'self != "x"', messageExpression: '"not " + self', optionalOldSelf: true },
    ]);
  });

  it('should name the class, the property, and the decorator of all that is wrong, with what to do', () => {
    class Empty {}
    class Tree {
      @f.Field({ listOf: () => Tree }) children: Tree[];
    }
    class Spec {
      @f.Field() union: string | number;
      @v.IsArray() untyped: unknown[];
      @v.IsString() @v.IsInt() both: string;
      @v.Matches(/^(?=a)b/) ahead: string;
      @v.ValidateIf(() => true) @v.IsString() conditional: string;
      @f.Field() empty: Empty;
      @f.Field() tree: Tree;
    }
    expect(errorsOf(Spec)).toEqual([
      expect.stringMatching(/^Spec\.union: its type is not known.*unions.*@Field\(\{ type/),
      expect.stringMatching(/^Spec\.untyped: the type of its items is not known.*listOf/),
      expect.stringMatching(/^Spec\.both \(@IsString, @IsInt\): no value is both string and integer; remove/),
      expect.stringMatching(/^Spec\.ahead \(@Matches\): the pattern has the look-around \(\?=.*@CelRule/),
      expect.stringMatching(/^Spec\.conditional \(@ValidateIf\): .*@CelRule.*@Nullable/),
      expect.stringMatching(/^Spec\.empty: no property of its class Empty has a decorator; put @Field/),
      expect.stringMatching(/^Tree: the class contains itself \(Tree > Tree\).*@PreserveUnknownFields/),
    ]);
  });

  it('should refuse names that the API server refuses', () => {
    @CustomResource({ group: 'example', version: 'V1', kind: 'My Kind', shortNames: ['A'] })
    class Wrong {}
    expect(() => customResourceDefinition(Wrong)).toThrow(/group "example" must be a domain/);
    expect(() => customResourceDefinition(Wrong)).toThrow(/version "V1"[^]*short name "A"/);
    class Undeclared {}
    expect(() => customResourceDefinition(Undeclared)).toThrow(/Undeclared: .* put @CustomResource\(\) on it/);
    expect(() => customResourceDefinition(Disk, Disk)).toThrow(/version v1 is that of Disk, too/);
  });
});
