// #region imports
import { Injectable, Module } from '@nestjs/common';
import { IsString, ValidateNested } from 'class-validator';
import { KopfModule, OnCreate } from 'nestjs-kopf';
import {
  CustomResource,
  customResourceDefinition,
  findDefinitionChanges,
  type CustomResourceDefinition,
} from 'nestjs-kopf/crd';
// #endregion

// #region apply
export class DiskSpec {
  @IsString()
  tier: string;
}

@CustomResource({ group: 'example.com', spec: DiskSpec })
export class Disk {
  @ValidateNested()
  spec: DiskSpec;
}

@Injectable()
export class DiskOperator {
  @OnCreate(Disk)
  create() {}
}

@Module({ imports: [KopfModule.forRoot({ crds: 'apply' })], providers: [DiskOperator] })
export class DisksModule {}
// #endregion

// #region compare
export function breakingChanges(released: CustomResourceDefinition): string[] {
  return findDefinitionChanges(released, customResourceDefinition(Disk))
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, path }) => `${path}: ${rule}`);
}
// #endregion
