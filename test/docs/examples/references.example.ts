// #region imports
import { Injectable } from '@nestjs/common';
import { OnReference, References, TemporaryError, type ReferenceContext } from 'nestjs-kopf';
import { KOPF_RESOURCE } from 'nestjs-kopf/decorators';
// #endregion

// #region handler
@Injectable()
@References('spec.secretRef.name', 'secrets')
export class RotationOperator {
  @OnReference('disks.example.com', { condition: 'ReferencesResolved' })
  rotate({ referents, missing, patch }: ReferenceContext) {
    if (missing.length > 0) throw new TemporaryError(`There is no secret ${missing[0].name}.`, { delay: 3600 });
    patch.status.secretVersion = referents[0]?.resourceVersion;
  }
}
// #endregion

// #region typed
@References('spec.volumes[].configMap', 'configmaps')
@References('spec.classRef', 'storageclasses.storage.k8s.io')
export class EncryptedDisk {
  static readonly [KOPF_RESOURCE] = { group: 'example.com', version: 'v1', plural: 'disks' };
}

@Injectable()
export class VolumesOperator {
  @OnReference(EncryptedDisk)
  follow({ referents, missing, logger }: ReferenceContext) {
    logger.log(`${referents.length} of ${referents.length + missing.length} objects are there.`);
  }
}
// #endregion
