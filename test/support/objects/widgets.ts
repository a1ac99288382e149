import * as v from 'class-validator';
import { Convert, PermanentError, type ConversionContextOf, type ConvertedObject, type KubeObject } from 'nestjs-kopf';
import { CustomResource, Default } from 'nestjs-kopf/crd';
import type { TestManifestObject } from 'nestjs-kopf/testing';

class WidgetStatus {
  @v.IsOptional() @v.IsString() phase?: string;
}

class WidgetSpecV1Alpha1 {
  /** Such as `5Gi`. */
  @v.IsString() size: string;
  @v.IsOptional() @v.IsString() note?: string;
}

const common = { group: 'example.com', kind: 'Widget', subresources: { status: true } } as const;

@CustomResource({ ...common, version: 'v1alpha1' })
export class WidgetV1Alpha1 {
  @v.ValidateNested() spec: WidgetSpecV1Alpha1;
  @v.IsOptional() @v.ValidateNested() status?: WidgetStatus;
}

class WidgetSpecV1Beta1 {
  @v.IsInt() @v.Min(0) @v.Max(2 ** 31) megabytes: number;
}

@CustomResource({ ...common, version: 'v1beta1' })
export class WidgetV1Beta1 {
  @v.ValidateNested() spec: WidgetSpecV1Beta1;
  @v.IsOptional() @v.ValidateNested() status?: WidgetStatus;
}

class WidgetSpec {
  @v.IsInt() @v.Min(0) @v.Max(2 ** 21) gigabytes: number;
  @v.IsOptional() @v.IsInt() @v.Min(0) @v.Max(1023) megabytes?: number;
  @Default('white') @v.IsString() color: string;
  @v.IsOptional() @v.IsString() note?: string;
}

@CustomResource({ ...common, version: 'v1', storage: true })
export class Widget {
  @v.ValidateNested() spec: WidgetSpec;
  @v.IsOptional() @v.ValidateNested() status?: WidgetStatus;
}

/** Converts widgets between their versions, through `v1`. */
export class WidgetConversions {
  @Convert(Widget, { from: WidgetV1Alpha1, to: Widget })
  fromAlpha({ spec, status, kept }: ConversionContextOf<typeof WidgetV1Alpha1>): ConvertedObject<typeof Widget> {
    const { size, note } = spec;
    if (!/^\d+Gi$/.test(size)) throw new PermanentError(`the size ${JSON.stringify(size)} is no number of Gi`);
    const { megabytes, color = 'white' } = kept;
    return { spec: { gigabytes: parseInt(size, 10), megabytes, color, note }, status };
  }

  @Convert(Widget, { from: Widget, to: WidgetV1Alpha1 })
  toAlpha({ spec, status, keep }: ConversionContextOf<typeof Widget>): ConvertedObject<typeof WidgetV1Alpha1> {
    const { gigabytes, note, color, megabytes } = spec;
    keep({ megabytes, color: color === 'white' ? undefined : color });
    return { spec: { size: `${gigabytes}Gi`, note }, status };
  }

  @Convert(Widget, { from: WidgetV1Beta1, to: Widget })
  async fromBeta({ spec, status, kept }: ConversionContextOf<typeof WidgetV1Beta1>) {
    const gigabytes = Math.floor(spec.megabytes / 1024);
    const { color = 'white', note } = kept;
    const megabytes = spec.megabytes % 1024;
    return { spec: { gigabytes, megabytes: megabytes || undefined, color, note }, status };
  }

  @Convert(Widget, { from: Widget, to: WidgetV1Beta1 })
  async toBeta({ spec, status, keep }: ConversionContextOf<typeof Widget>) {
    const { gigabytes, megabytes = 0, color, note } = spec;
    keep({ color: color === 'white' ? undefined : color, note });
    return { spec: { megabytes: gigabytes * 1024 + megabytes }, status };
  }
}

/** Makes a widget, by default of `v1`. */
export function widget(name: string, spec: object, version = 'v1'): TestManifestObject & KubeObject {
  return { apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name }, spec };
}
