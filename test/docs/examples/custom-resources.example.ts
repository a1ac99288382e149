// #region imports
import { Injectable, Module } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Matches, Max, Min, ValidateNested } from 'class-validator';
import { KopfModule, OnCreate, type ChangeContext } from 'nestjs-kopf';
import {
  CelRule,
  checkCustomResourceDefinition,
  CustomResource,
  customResourceDefinition,
  Default,
  Description,
  ExactlyOneOf,
  Field,
  Immutable,
  IntOrString,
  ListType,
  Nullable,
} from 'nestjs-kopf/crd';
import { z } from 'zod';
// #endregion

// #region class
export class DiskSpec {
  @Description('The size, such as 1Gi.')
  @Matches(/^\d+Gi$/)
  size: string;

  @Default(1)
  @IsInt()
  @Min(1)
  @Max(5)
  replicas: number;
}

export class DiskStatus {
  @IsOptional()
  @IsString()
  phase?: string;
}

@CustomResource({
  group: 'example.com',
  shortNames: ['dk'],
  printerColumns: [{ name: 'Size', jsonPath: '.spec.size' }],
})
export class Disk {
  @ValidateNested()
  @Type(() => DiskSpec)
  spec: DiskSpec;

  @ValidateNested()
  @Type(() => DiskStatus)
  status?: DiskStatus;
}

@Injectable()
export class DiskOperator {
  @OnCreate(Disk)
  create({ spec, logger }: ChangeContext<DiskSpec, DiskStatus>) {
    logger.log(`${spec.replicas} of ${spec.size}`);
  }
}

@Module({ imports: [KopfModule.forRoot({ crds: 'apply' })], providers: [DiskOperator] })
export class DisksModule {}
// #endregion

// #region generate
export const definition = customResourceDefinition(Disk);
// #endregion

// #region fields
export class Mount {
  @IsString()
  name: string;

  @IsString()
  path: string;
}

export class MachineSpec {
  // By its type alone.
  @Field()
  zone: string;

  @Field({ mapOf: String })
  tags: Record<string, string>;

  @IntOrString()
  port: number | string;

  @Nullable()
  @IsString()
  note: string | null;

  // Merged by the names of the mounts in server-side apply.
  @ListType('map', ['name'])
  @ValidateNested({ each: true })
  @Type(() => Mount)
  mounts: Mount[];
}
// #endregion

// #region descriptions
/** A disk that pods can mount. */
export class MountableSpec {
  /**
   * The size, such as 1Gi.
   *
   * @default 1Gi
   */
  @IsOptional()
  @IsString()
  size?: string;
}
// #endregion

// #region zod
export const shareSpec = z.object({
  size: z.string().regex(/^\d+Gi$/),
  protocol: z.enum(['nfs', 'smb']).default('nfs'),
});

@CustomResource({ group: 'example.com', spec: shareSpec })
export class Share {}

@Injectable()
export class ShareOperator {
  @OnCreate(Share)
  create({ spec, logger }: ChangeContext<z.output<typeof shareSpec>>) {
    logger.log(`${spec.size} by ${spec.protocol}`);
  }
}
// #endregion

// #region rules
@CelRule('self.min <= self.max', { message: 'min must not be above max', fieldPath: '.min' })
@ExactlyOneOf('secret', 'configMap')
export class RangeSpec {
  @IsInt()
  min: number;

  @IsInt()
  max: number;

  @IsOptional()
  @IsString()
  secret?: string;

  @IsOptional()
  @IsString()
  configMap?: string;

  @Immutable()
  @IsString()
  zone: string;
}
// #endregion

// #region check
export const costs = checkCustomResourceDefinition(definition);
// #endregion

// #region versions
@CustomResource({ group: 'example.com', kind: 'Disk', version: 'v1beta1', deprecated: 'v1beta1 is deprecated; use v1' })
export class OldDisk {
  @ValidateNested()
  @Type(() => DiskSpec)
  spec: DiskSpec;
}

export const versions = customResourceDefinition(Disk, OldDisk);
// #endregion
