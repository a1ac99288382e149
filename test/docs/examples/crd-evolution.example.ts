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
export class SiteSpec {
  @IsString()
  domain: string;
}

@CustomResource({ group: 'example.com', spec: SiteSpec })
export class Site {
  @ValidateNested()
  spec: SiteSpec;
}

@Injectable()
export class SiteOperator {
  @OnCreate(Site)
  create() {}
}

@Module({ imports: [KopfModule.forRoot({ crds: 'apply' })], providers: [SiteOperator] })
export class SitesModule {}
// #endregion

// #region compare
export function breakingChanges(released: CustomResourceDefinition): string[] {
  return findDefinitionChanges(released, customResourceDefinition(Site))
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, path }) => `${path}: ${rule}`);
}
// #endregion
