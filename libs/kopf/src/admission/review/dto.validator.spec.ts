import 'reflect-metadata';
import { IsInt, IsNotEmpty, IsPositive, IsString, Length, ValidateNested } from 'class-validator';
import { Transform, Type } from 'class-transformer';
import { DtoValidator } from './dto.validator.js';

class Disk {
  @IsNotEmpty() name: string;
  @ValidateNested() @Type(() => Disk) child?: Disk;
}

class Spec {
  @IsPositive() size: number;
  @IsString({ each: true }) tags: string[] = [];
  @ValidateNested({ each: true }) @Type(() => Disk) disks: Disk[] = [];
  @Length(1, 3, { message: 'Between one and three letters, please.' }) code = 'a';
  @IsInt() @IsPositive() count = 1;
}

describe('DtoValidator', () => {
  it.each<[object, string | undefined]>([
    [{ size: 1 }, undefined],
    [{ size: 1, unknown: true, disks: [{ name: 'a' }] }, undefined],
    [{ size: -1 }, 'spec.size must be a positive number'],
    [{}, 'spec.size must be a positive number'],
    [{ size: 1, disks: [{ name: 'a' }, { name: '' }] }, 'spec.disks[1].name should not be empty'],
    [{ size: 0, disks: [{}] }, 'spec.size must be a positive number; spec.disks[0].name should not be empty'],
    [{ size: 1, disks: [{ name: 'a', child: {} }] }, 'spec.disks[0].child.name should not be empty'],
    [{ size: 1, tags: [1] }, 'each value in spec.tags must be a string'],
    [{ size: 1, code: '' }, 'spec.code: Between one and three letters, please.'],
    [{ size: 9007199254740993n, count: 9223372036854775807n, disks: [{ name: 'a' }] }, undefined],
    [{ size: 1, count: -9007199254740993n }, 'spec.count must be a positive number'],
    [{ size: 1, count: -1.5 }, 'spec.count must be a positive number; spec.count must be an integer number'],
  ])('should validate %o', async (spec, message) => {
    const validator = await DtoValidator.load();
    const checked = validator.check(Spec, spec);
    if (message === undefined) await expect(checked).resolves.toBeUndefined();
    else await expect(checked).rejects.toMatchObject({ code: 'KOPF_ADMISSION', status: 422, message });
  });

  it.each([undefined, null, 'text', [[]]])('should refuse what is no object: %s', async (spec) => {
    const validator = await DtoValidator.load();
    await expect(validator.check(Spec, spec)).rejects.toMatchObject({ message: 'spec must be an object', status: 422 });
  });

  const missing = Object.assign(new Error('It is not installed.'), { code: 'ERR_MODULE_NOT_FOUND' });

  it('should do without class-transformer where nothing is nested', async () => {
    const validator = await DtoValidator.load(() => Promise.reject(missing));
    await expect(validator.check(Spec, { size: 0 })).rejects.toThrow('spec.size must be a positive number');
    await expect(validator.check(Spec, { size: 1 })).resolves.toBeUndefined();
    expect(validator.findViolations(class {})).toEqual([]);
  });

  it('should report nested classes without class-transformer', async () => {
    const validator = await DtoValidator.load(() => Promise.reject(missing));
    expect(validator.findViolations(Spec)).toEqual([
      'the class of the nested Spec.disks is not known, so its rules would not be checked; ' +
        'install the package class-transformer, and add its @Type() to it',
    ]);
  });

  it('should report nested classes that are not named', async () => {
    class Inner {
      @ValidateNested() unnamed: Disk;
    }
    class Outer {
      @ValidateNested({ each: true }) list: Disk[];
      @ValidateNested() @Type(() => Inner) named: Inner;
      @ValidateNested({ each: true }) @Type(() => Inner) all: Inner[];
      @ValidateNested({ each: true }) @Type(() => Disk) map: Map<string, Disk>;
      @ValidateNested() @Transform(({ value }) => Object.assign(new Disk(), value)) made: Disk;
    }
    const validator = await DtoValidator.load();
    const fields = validator.findViolations(Outer).map((violation) => /nested (\S+)/.exec(violation)?.[1]);
    expect(fields).toEqual(['Outer.list', 'Inner.unnamed']);
    expect(validator.findViolations(Spec)).toEqual([]);
  });

  it('should not hide that class-transformer is broken', async () => {
    await expect(DtoValidator.load(() => Promise.reject(new SyntaxError('Broken.')))).rejects.toThrow('Broken.');
  });
});
