// #region imports
import { Injectable, Module } from '@nestjs/common';
import { IsInt, IsOptional, IsString, Matches, Min, ValidateNested } from 'class-validator';
import { Convert, KopfModule, OnCreate, type ConversionContextOf } from 'nestjs-kopf';
import { CustomResource, Default } from 'nestjs-kopf/crd';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { expectRoundTrips } from 'nestjs-kopf/testing';
// #endregion

// #region versions
export class OldDiskSpec {
  @Matches(/^(0|[1-9]\d{0,5})Gi$/) size: string;
}

@CustomResource({ group: 'example.com', kind: 'Disk', version: 'v1alpha1' })
export class OldDisk {
  @ValidateNested() spec: OldDiskSpec;
}

export class DiskSpec {
  @IsInt() @Min(0) gigabytes: number;
  @Default('standard') @IsString() tier: string;
  @IsOptional() @IsString() note?: string;
}

@CustomResource({ group: 'example.com', version: 'v1', storage: true })
export class Disk {
  @ValidateNested() spec: DiskSpec;
}
// #endregion

// #region convert
@Injectable()
export class DiskConversions {
  @Convert(Disk, { from: OldDisk, to: Disk })
  up({ spec, status, kept }: ConversionContextOf<typeof OldDisk>) {
    const { tier = 'standard', note } = kept;
    return { spec: { gigabytes: parseInt(spec.size, 10), tier, note }, status };
  }

  @Convert(Disk, { from: Disk, to: OldDisk })
  down({ spec, status, keep }: ConversionContextOf<typeof Disk>) {
    const { gigabytes, tier, note } = spec;
    keep({ tier, note });
    return { spec: { size: `${gigabytes}Gi` }, status };
  }
}
// #endregion

// #region module
@Injectable()
export class DiskOperator {
  @OnCreate(Disk)
  create() {}
}

@Module({
  imports: [
    KopfModule.forRoot({
      crds: 'apply',
      admission: { managed: 'disks.example.com', server: new WebhookServer({ port: 9443 }) },
    }),
  ],
  providers: [DiskOperator, DiskConversions],
})
export class DisksModule {}
// #endregion

// #region test
export function testConversions() {
  return expectRoundTrips({ providers: [DiskConversions], runs: 200, seed: 1 });
}
// #endregion
