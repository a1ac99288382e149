"""Computes the results of the golden vectors again with Python Kopf, and writes them back; run by record-traces.mjs beside this file.

    python record_vectors.py VECTORS.json

The inputs are those in the file. To add a vector, add its inputs there. The items of a diff, and specific namespaces, have no order in Kopf:
they stay in that of the file if they are the same.
"""
import copy
import inspect
import json
import sys

import kopf
from kopf._cogs.structs import bodies, dicts, diffs, finalizers, patches, references
from kopf._core.engines import admission
from kopf._core.intents import causes

FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker'
TOUCH = '2020-12-31T23:59:59.123456+00:00'
HANDLER = 'fn/spec.field'
RECORD = {
    'started': '2020-01-01T00:00:00.000000+00:00', 'stopped': None, 'delayed': '2020-01-01T00:01:00.500000+00:00',
    'purpose': 'update', 'retries': 3, 'success': False, 'failure': False, 'message': 'boom é', 'subrefs': ['fn/a', 'fn/b'],
}
FRESH = {'metadata': {}}
HANDLED = {
    'metadata': {'annotations': {'kopf.zalando.org/fn.spec.field': '{}', 'my-op.example.com/fn.spec.field': '{}'}},
    'status': {'kopf': {'progress': {HANDLER: {}}}},
}


def plain(value):
    """The value as JSON has it."""
    return json.loads(json.dumps(value, default=list))


def in_order(items, former):
    """The items, in the order of the former ones if they are the same."""
    key = json.dumps
    return former if sorted(map(key, items)) == sorted(map(key, former)) else items


def storage_of_keys(prefix, v1):
    return kopf.AnnotationsProgressStorage(prefix=prefix, v1=v1)


def record_keys(vector):
    storage = storage_of_keys(vector['prefix'], vector['v1'])
    key = vector['id']
    vector['keys'] = list(storage.make_keys(key))
    vector['v1Key'] = storage.make_v1_key(key)
    vector['v2Key'] = storage.make_v2_key(key)
    vector['suffix'] = storage.make_suffix(key)


def record_keys_of_replica_set(vector):
    metadata = {'ownerReferences': [{'kind': 'Deployment', 'apiVersion': 'apps/v1', 'name': 'd', 'uid': 'd'}]}
    body = bodies.Body({'kind': 'ReplicaSet', 'apiVersion': 'apps/v1', 'metadata': metadata})
    vector['keys'] = list(storage_of_keys('kopf.zalando.org', True).make_keys(vector['id'], body=body))


def record_essence(vector):
    body = bodies.Body(vector['object'])
    storage = kopf.AnnotationsDiffBaseStorage()
    essence = storage.build(body=body, extra_fields=vector['extraFields'])
    patch = patches.Patch()
    storage.store(body=body, patch=patch, essence=essence)
    vector['essence'] = plain(essence)
    vector['cleared'] = plain(kopf.SmartProgressStorage().clear(essence=copy.deepcopy(essence)))
    vector['storedPatch'] = plain(dict(patch))


def stored_by(storage):
    patch = patches.Patch()
    storage.store(body=bodies.Body({'metadata': {}}), patch=patch, essence={'spec': {'a': 1}})
    return plain(dict(patch))


def record_diff(vector):
    for member, scope in [('full', diffs.DiffScope.FULL), ('left', diffs.DiffScope.LEFT), ('right', diffs.DiffScope.RIGHT)]:
        vector[member] = in_order(plain(diffs.diff(vector['a'], vector['b'], scope=scope)), vector[member])


def record_reduction(vector):
    whole = diffs.diff(vector['a'], vector['b'])
    field = dicts.parse_field(vector['field'] or ())
    vector['reduced'] = in_order(plain(diffs.reduce(whole, field)), vector['reduced'])


def record_cause(vector):
    metadata = {'finalizers': [FINALIZER] if vector['finalizer'] else []}
    if vector['deletionTimestamp']:
        metadata['deletionTimestamp'] = '2020-12-31T23:59:59Z'
    others = dict.fromkeys(inspect.signature(causes.ChangingCause).parameters)
    for member in ['reason', 'body', 'old', 'new', 'diff', 'initial']:
        others.pop(member)
    cause = causes.detect_changing_cause(
        **others,
        finalizer=FINALIZER,
        raw_event={'type': vector['type'], 'object': {'metadata': metadata}},
        body=bodies.Body({'metadata': metadata}),
        old={} if vector['hasOld'] else None,
        diff=diffs.diff({}, {'spec': {'field': 'value'}}) if vector['hasDiff'] else diffs.EMPTY,
        initial=vector['initial'],
    )
    vector['reason'] = cause.reason.value
    vector['initialAfter'] = cause.initial


def record_finalizers(vector):
    change = finalizers.block_deletion if vector['op'] == 'block' else finalizers.allow_deletion
    patch = patches.Patch(body=vector['object'], fns=[lambda body: change(body, FINALIZER)])
    operations = plain(patch.as_json_patch())
    vector['jsonPatch'] = [each for each in operations if each['path'] != '/metadata/resourceVersion']


def record_progress(vector, storage):
    def patch_by(write, body):
        patch = patches.Patch()
        write(body=bodies.Body(copy.deepcopy(body)), patch=patch)
        return plain(dict(patch))

    vector['store'] = patch_by(lambda **kwargs: storage.store(key=HANDLER, record=dict(RECORD), **kwargs), FRESH)
    vector['purge'] = patch_by(lambda **kwargs: storage.purge(key=HANDLER, **kwargs), HANDLED)
    vector['touch'] = patch_by(lambda **kwargs: storage.touch(value=TOUCH, **kwargs), FRESH)


PROGRESS_STORAGES = {
    'annotations': kopf.AnnotationsProgressStorage(),
    'annotationsVerbose': kopf.AnnotationsProgressStorage(verbose=True),
    'customPrefix': kopf.AnnotationsProgressStorage(prefix='my-op.example.com'),
    'status': kopf.StatusProgressStorage(),
    'statusNamed': kopf.StatusProgressStorage(name='my-op'),
    'smart': kopf.SmartProgressStorage(),
}


def main():
    [path] = sys.argv[1:]
    with open(path, encoding='utf-8') as file:
        vectors = json.load(file)
    for vector in vectors['keys']:
        record_keys(vector)
    for vector in vectors['keysOfDRS']:
        record_keys_of_replica_set(vector)
    for vector in vectors['essences']:
        record_essence(vector)
    vectors['customPrefixStore'] = stored_by(kopf.AnnotationsDiffBaseStorage(prefix='my-op.example.com'))
    vectors['statusStore'] = stored_by(kopf.StatusDiffBaseStorage())
    for vector in vectors['diffs']:
        record_diff(vector)
    for vector in vectors['reduced']:
        record_reduction(vector)
    for vector in vectors['namespaces']:
        vector['match'] = references.match_namespace(vector['name'], vector['pattern'])
    patterns = {vector['pattern'] for vector in vectors['namespaces']}
    specific = list(references.select_specific_namespaces(patterns))
    vectors['specificNamespaces'] = in_order(specific, vectors['specificNamespaces'])
    for vector in vectors['webhookNames']:
        vector['name'] = admission._normalize_name(vector['id'], vector['suffix'])
    for vector in vectors['webhookUrls']:
        vector['result'] = admission._inject_handler_id(vector['config'], vector['id'])
    for vector in vectors['causes']:
        record_cause(vector)
    for vector in vectors['finalizerPatches']:
        record_finalizers(vector)
    for name, storage in PROGRESS_STORAGES.items():
        record_progress(vectors['progress'][name], storage)
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(vectors, file, indent=1)


if __name__ == '__main__':
    main()
