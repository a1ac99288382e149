import { mapping } from '../common/json.values.js';

/** Returns the classes of volume attributes that a claim or a volume names: those that it asks for, has, and is to get. */
export function attributesClassNames({ spec, status }: Readonly<Record<string, unknown>>): string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = mapping(status);
  const names = [
    mapping(spec)['volumeAttributesClassName'],
    currentVolumeAttributesClassName,
    mapping(modifyVolumeStatus)['targetVolumeAttributesClassName'],
  ];
  return names.filter(Boolean).map(String);
}
