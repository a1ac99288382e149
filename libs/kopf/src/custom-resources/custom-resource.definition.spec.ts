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

  class Volume {
    @v.IsString() size = '1Gi';
  }
  const INT_OR_STRING = { 'x-kubernetes-int-or-string': true };
  const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const WHOLE = { ...OPEN, 'x-kubernetes-embedded-resource': true };
  const VOLUME = { type: 'object', properties: { size: { type: 'string', default: '1Gi' } } };

  it.each<[string, PropertyDecorator[], f.FieldTypeOptions, object]>([
    ['@IntOrString()', [f.IntOrString()], { type: String }, INT_OR_STRING],
    ['@IntOrString()', [f.IntOrString()], { type: Number }, INT_OR_STRING],
    ['@PreserveUnknownFields()', [f.PreserveUnknownFields()], { type: Object }, OPEN],
    ['@PreserveUnknownFields()', [f.PreserveUnknownFields()], { type: Volume }, { ...VOLUME, ...OPEN }],
    ['@EmbeddedResource()', [f.EmbeddedResource()], { type: Object }, WHOLE],
    ['nothing', [], { type: String }, { type: 'string' }],
    ['nothing', [], { type: Number }, { type: 'number' }],
    ['nothing', [], { type: Boolean }, { type: 'boolean' }],
    ['nothing', [], { type: Date }, { type: 'string', format: 'date-time' }],
    ['nothing', [], { type: Volume }, VOLUME],
    ['nothing', [], { type: () => Volume }, VOLUME],
  ])('should say it of one value, of items, and of the values of a map: %s', (_, decorators, { type }, value) => {
    class Spec {
      one: any;
      items: any[];
      values: Record<string, any>;
    }
    const apply = (name: string, field: PropertyDecorator) =>
      [field, ...decorators].forEach((decorate) => decorate(Spec.prototype, name));
    apply('one', f.Field({ type }));
    apply('items', f.Field({ listOf: type }));
    apply('values', f.Field({ mapOf: type }));
    expect(specOf(Spec).properties).toEqual({
      one: value,
      items: { type: 'array', items: value },
      values: { type: 'object', additionalProperties: value },
    });
  });

  it('should say of the field what is not about its values', () => {
    class Spec {
      @f.Default([80])
      @f.Nullable()
      @f.Description('d')
      @f.ListType('set')
      @f.IntOrString()
      @f.Field({ listOf: String })
      ports: (number | string)[];
      @f.Default({ cpu: 1 })
      @f.Nullable()
      @f.IntOrString()
      @f.Field({ mapOf: String })
      limits: Record<string, number | string>;
      @v.IsArray() @v.ArrayMinSize(1) @f.IntOrString() bare: (number | string)[];
      @v.MinLength(2, { each: true })
      @v.IsIn(['ab', 'cd'], { each: true })
      @f.Field({ listOf: String })
      codes: string[];
    }
    expect(specOf(Spec).properties).toEqual({
      ports: {
        description: 'd',
        type: 'array',
        items: INT_OR_STRING,
        'x-kubernetes-list-type': 'set',
        nullable: true,
        default: [80],
      },
      limits: { type: 'object', additionalProperties: INT_OR_STRING, nullable: true, default: { cpu: 1 } },
      bare: { type: 'array', items: INT_OR_STRING, minItems: 1 },
      codes: { type: 'array', items: { type: 'string', minLength: 2, enum: ['ab', 'cd'] } },
    });
  });

  it('should have class-validator take the same values', () => {
    class Spec {
      @f.IntOrString() @f.Field({ listOf: String }) ports: unknown;
      @f.Field({ mapOf: String }) @f.IntOrString() limits: unknown;
      @f.EmbeddedResource() @f.Field({ listOf: Object }) objects: unknown;
      @f.PreserveUnknownFields() @f.Field({ mapOf: Object }) open: unknown;
    }
    const invalidIn = (fields: object): string[] =>
      v.validateSync(Object.assign(new Spec(), fields)).map(({ property }) => property);
    const whole = { apiVersion: 'v1', kind: 'Pod' };
    expect(
      invalidIn({ ports: [80, 'http'], limits: { cpu: 1, memory: '1Gi' }, objects: [whole], open: { a: {} } }),
    ).toEqual([]);
    expect(invalidIn({ ports: [1.5], limits: { cpu: true }, objects: [{}], open: { a: 1 } }).sort()).toEqual([
      'limits',
      'objects',
      'open',
      'ports',
    ]);
    expect(invalidIn({ ports: 80, limits: 'x', objects: whole, open: 1 })).toHaveLength(4);
  });

  it('should name rules that no list and no map can satisfy', () => {
    class Spec {
      @v.Min(1) @f.Field({ listOf: Number }) numbers: number[];
      @v.IsEnum({ A: 'a' }) @f.Field({ listOf: String }) letters: string[];
      @v.IsString({ each: true }) @f.Field({ mapOf: String }) texts: Record<string, string>;
      @v.Matches(/a/) @f.Field({ mapOf: String }) names: Record<string, string>;
      @f.IntOrString() @f.Field({ listOf: Volume }) disks: Volume[];
      @v.IsInt({ each: true }) @f.Field({ listOf: String }) both: string[];
      @f.ListType('set') @f.Field({ mapOf: String }) set: Record<string, string>;
    }
    expect(errorsOf(Spec)).toEqual([
      'Spec.numbers (@Min): it is for one value, and the property is a list; say it of the items: { each: true }',
      'Spec.letters (@IsEnum): it is for one value, and the property is a list; say it of the items: { each: true }',
      'Spec.texts (@IsString): class-validator has no rules for the values of maps; give them a class with @Field({ mapOf: … })',
      'Spec.names (@Matches): class-validator has no rules for the values of maps; give them a class with @Field({ mapOf: … })',
      'Spec.disks (@IntOrString): no value is both a Volume and a number or a text; remove one of the decorators',
      'Spec.both: no item is both string and integer; remove one of the decorators',
      'Spec.set (@ListType): it is no list; remove the decorator, or say @Field({ listOf: … })',
    ]);
  });

  it('should make defaults of initial values, and require no field that has one', () => {
    class Base {
      @v.IsInt() inherited = 1;
    }
    class Spec extends Base {
      @v.IsInt() quantity = 0;
      @v.IsBoolean() enabled = false;
      @v.IsString() name = '';
      @v.IsOptional() @v.IsString() note?: string = 'none';
      @f.Nullable() @v.IsString() nothing: string | null = null;
      @v.IsOptional() @v.IsString() absent?: string | null = null;
      @f.Default(5) @v.IsInt() said = 4;
      @f.Field({ listOf: String }) tags = ['a'];
      @f.Field({ mapOf: Number }) weights: Record<string, number> = { a: 1 };
      @f.Field({ type: Volume }) disk = new Volume();
      @f.Field({ listOf: Volume }) disks = [new Volume()];
      @v.IsString() required: string;
      undeclared = new Map();
      @f.Field({ type: Volume }) larger = Object.assign(new Volume(), { size: '2Gi', undeclared: 1 });
    }
    const { properties, required } = specOf(Spec);
    const defaults = Object.entries(properties!).map(([name, node]) => [name, node.default]);
    expect(Object.fromEntries(defaults)).toEqual({
      inherited: 1,
      quantity: 0,
      enabled: false,
      name: '',
      note: 'none',
      nothing: null,
      said: 5,
      tags: ['a'],
      weights: { a: 1 },
      disk: { size: '1Gi' },
      disks: [{ size: '1Gi' }],
      larger: { size: '2Gi' },
    });
    expect(required).toEqual(['required']);
  });

  it('should name initial values that no default can be, with what to do', () => {
    let count = 0;
    class Part {
      @v.IsString() name: string;
    }
    class Spec {
      @f.Field() at: Date = new Date();
      @v.IsInt() count = count++;
      @v.IsNumber() size = NaN;
      @f.PreserveUnknownFields() call = { back: () => 1 };
      @v.IsString() nothing = null as unknown as string;
      @f.Field({ type: Part }) part = new Part();
    }
    const advice = 'say with @Default() what the API server writes where the field is absent';
    expect(errorsOf(Spec)).toEqual([
      `Spec.at: its initial value has a date of its own in each object; ${advice}`,
      `Spec.count: its initial value is another one in each object; ${advice}`,
      `Spec.size: its initial value cannot be written into a CRD: it is NaN; ${advice}`,
      `Spec.call: its initial value cannot be written into a CRD: it.back is a function; ${advice}`,
      `Spec.nothing: its initial value is null, which the API server takes for an absent field without @Nullable(); ${advice}`,
      `Spec.part: its initial value lacks the required name; ${advice}`,
    ]);
  });

  it('should take classes whose constructors need something', () => {
    class Spec {
      @v.IsInt() size = 1;
      constructor({ needed }: { needed: number }) {
        this.size = needed;
      }
    }
    expect(specOf(Spec as never)).toEqual({
      type: 'object',
      properties: { size: { type: 'integer' } },
      required: ['size'],
    });
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
