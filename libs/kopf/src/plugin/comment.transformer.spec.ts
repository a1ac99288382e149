import { compileFunction } from 'node:vm';
import * as validator from 'class-validator';
import ts from 'typescript';
import * as crd from '../custom-resources/index.js';
import type { ObjectClass } from '../resources/object-class.js';
import { before } from './index.js';

const SOURCE = `
import { IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { CustomResource, Description, Field } from 'nestjs-kopf/crd';

class Base {
  /** The zone, as {@link Zones} and {@link https://example.com | the site} name it. */
  @IsString() zone: string;
}

/** A part of it. */
class Part extends Base {
  /**
   * The name of the part,
   * unique in the object.
   *
   * It cannot be changed.
   * @default none
   */
  @IsString() name: string;
  // No documentation.
  @IsInt() count: number;
}

class Spec {
  @IsOptional() @Field() part?: Part;
  /** Overridden. */
  @Description('By the decorator.') @IsString() size: string;
  /** Not a field. */
  private note?: string;
}

/** A disk. */
@CustomResource({ group: 'example.com' })
export class Disk {
  /** The wanted state. */
  @ValidateNested() spec: Spec;
}

/** Not decorated. */
export class Plain {
  /** Nothing. */
  value = 1;
}
`;

function compile(): Record<string, ObjectClass> {
  const { outputText } = ts.transpileModule(SOURCE, {
    fileName: 'disk.ts',
    transformers: { before: [before()] },
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      useDefineForClassFields: false,
      removeComments: true,
    },
  });
  const modules: Record<string, unknown> = { 'nestjs-kopf/crd': crd, 'class-validator': validator };
  const exports: Record<string, ObjectClass> = {};
  const run = compileFunction(outputText, ['require', 'exports']) as (...args: unknown[]) => void;
  run((name: string) => modules[name], exports);
  return exports;
}

describe('The plugin of the compiler', () => {
  const { Disk, Plain } = compile();

  it('should make descriptions of the documentation, unless decorators say otherwise', () => {
    const { description, properties } = crd.customResourceDefinition(Disk).spec.versions[0].schema.openAPIV3Schema;
    expect(description).toBe('A disk.');
    expect(properties!.spec.description).toBe('The wanted state.');
    expect(properties!.spec.properties).toEqual({
      part: {
        type: 'object',
        description: 'A part of it.',
        required: ['zone', 'name', 'count'],
        properties: {
          zone: { type: 'string', description: 'The zone, as Zones and the site name it.' },
          name: { type: 'string', description: 'The name of the part, unique in the object.\nIt cannot be changed.' },
          count: { type: 'integer' },
        },
      },
      size: { type: 'string', description: 'By the decorator.' },
    });
  });

  it('should leave classes without decorators as they are', () => {
    expect(Object.getOwnPropertySymbols(Plain)).toEqual([]);
    expect(Object.keys(Disk)).toEqual([]);
  });
});
