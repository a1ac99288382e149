"""Families of operators whose handling by Python Kopf is recorded in families.json, and compared with ours by families.spec.ts.

Each family is one function: it declares handlers as any operator of Kopf does, notes their calls with `stage.called(…)`, and then does what
users do, with `stage.start()` and `stage.stop()` for the operator itself. Its counterpart in families.ts has the same name and does the same.
Handlers should be quiet before the operator is stopped, so that nothing depends on how fast it stops.

Recorded by: KUBEBUILDER_ASSETS=… node test/tools/record-traces.mjs [--only NAME]
"""
import kopf

KEX = ('kopf.dev/v1', 'kopfexamples')

FAMILIES = []


def family(name, *, status_subresource=False):
    """Adds a family to those that are recorded."""
    def decorator(fn):
        FAMILIES.append((name, status_subresource, fn))
        return fn
    return decorator


@family('deletion handler whose field has gone just before')
async def deletion_without_field(stage):
    @kopf.on.update(*KEX, id='move', field='spec.bucket')
    def move(retry, old, new, **kwargs):
        stage.called('move', kwargs, retry=retry, old=old, new=new)
        if retry < 1:
            raise kopf.TemporaryError('not yet', delay=30)

    @kopf.on.delete(*KEX, id='drop', field='spec.bucket')
    def drop(old, new, diff, **kwargs):
        stage.called('drop', kwargs, old=old, new=new, diff=diff)

    await stage.start()
    await stage.create({'spec': {'bucket': 'b1'}})
    await stage.wait(2)
    await stage.patch({'spec': {'bucket': None}})
    await stage.wait(1)
    await stage.delete()
    await stage.wait(3)
    await stage.stop()


@family('deletion handler whose value was changed while the operator was down')
async def deletion_of_changed_value(stage):
    @kopf.on.create(*KEX, id='make')
    def make(**kwargs):
        stage.called('make', kwargs)

    @kopf.on.delete(*KEX, id='two', field='spec.size', value=2)
    def two(old, new, **kwargs):
        stage.called('two', kwargs, old=old, new=new)

    @kopf.on.delete(*KEX, id='three', field='spec.size', value=3)
    def three(old, new, **kwargs):
        stage.called('three', kwargs, old=old, new=new)

    @kopf.on.delete(*KEX, id='four', field='spec.size', value=4)
    def four(old, new, **kwargs):
        stage.called('four', kwargs, old=old, new=new)

    await stage.start()
    await stage.create({'spec': {'size': 2}})
    await stage.wait(2)
    await stage.stop()
    await stage.patch({'spec': {'size': 3}})
    await stage.delete()
    await stage.start()
    await stage.wait(3)
    await stage.stop()


@family('resuming handlers with fields, mixed into an update')
async def resuming_with_fields(stage):
    @kopf.on.create(*KEX, id='make')
    def make(**kwargs):
        stage.called('make', kwargs)

    @kopf.on.resume(*KEX, id='gone', field='spec.gone')
    def gone(old, new, diff, **kwargs):
        stage.called('gone', kwargs, old=old, new=new, diff=diff)

    @kopf.on.resume(*KEX, id='kept', field='spec.kept')
    def kept(old, new, diff, **kwargs):
        stage.called('kept', kwargs, old=old, new=new, diff=diff)

    @kopf.on.resume(*KEX, id='before', field='spec.size', value=1)
    def before(old, new, **kwargs):
        stage.called('before', kwargs, old=old, new=new)

    @kopf.on.resume(*KEX, id='after', field='spec.size', value=2)
    def after(old, new, **kwargs):
        stage.called('after', kwargs, old=old, new=new)

    @kopf.on.resume(*KEX, id='never', field='spec.size', value=3)
    def never(**kwargs):
        stage.called('never', kwargs)

    @kopf.on.resume(*KEX, id='absent', field='spec.gone', value=kopf.ABSENT)
    def absent(old, new, **kwargs):
        stage.called('absent', kwargs, old=old, new=new)

    await stage.start()
    await stage.create({'spec': {'gone': 'x', 'kept': 'y', 'size': 1}})
    await stage.wait(2)
    await stage.stop()
    await stage.patch({'spec': {'gone': None, 'size': 2}})
    await stage.start()
    await stage.wait(4)
    await stage.stop()


@family('creation handlers with a field that is absent, and present')
async def creation_with_absent_field(stage):
    @kopf.on.create(*KEX, id='absent', field='spec.other', value=kopf.ABSENT)
    def absent(old, new, diff, **kwargs):
        stage.called('absent', kwargs, old=old, new=new, diff=diff)

    @kopf.on.create(*KEX, id='present-absent', field='spec.field', value=kopf.ABSENT)
    def present_absent(old, new, diff, **kwargs):
        stage.called('present-absent', kwargs, old=old, new=new, diff=diff)

    @kopf.on.create(*KEX, id='not-v1', field='spec.field', value=lambda value, **_: value != 'v1')
    def not_v1(old, new, **kwargs):
        stage.called('not-v1', kwargs, old=old, new=new)

    @kopf.on.create(*KEX, id='v2', field='spec.field', value='v2')
    def v2(**kwargs):
        stage.called('v2', kwargs)

    await stage.start()
    await stage.create()
    await stage.wait(4)
    await stage.stop()


@family('deletion handlers with a field that is absent')
async def deletion_with_absent_field(stage):
    @kopf.on.delete(*KEX, id='present-absent', field='spec.field', value=kopf.ABSENT)
    def present_absent(old, new, **kwargs):
        stage.called('present-absent', kwargs, old=old, new=new)

    @kopf.on.delete(*KEX, id='absent', field='spec.other', value=kopf.ABSENT)
    def absent(old, new, **kwargs):
        stage.called('absent', kwargs, old=old, new=new)

    await stage.start()
    await stage.create()
    await stage.wait(2)
    await stage.delete()
    await stage.wait(3)
    await stage.stop()


@family('sub-handlers with fields')
async def subhandlers_with_fields(stage):
    @kopf.on.update(*KEX, id='parent')
    def parent(retry, **kwargs):
        stage.called('parent', kwargs, retry=retry)

        @kopf.subhandler(id='x', field='spec.field')
        def x(retry, old, new, diff, **kw):
            stage.called('parent/x', kw, retry=retry, old=old, new=new, diff=diff)
            if retry < 1:
                raise kopf.TemporaryError('not yet', delay=1)
            return {'n': retry}

        @kopf.subhandler(id='y', field='spec.other')
        def y(**kw):
            stage.called('parent/y', kw)

        def z(**kw):
            stage.called('parent/z', kw)
            return 'z'
        kopf.register(z, id='z')

    await stage.start()
    await stage.create()
    await stage.wait(2)
    await stage.patch({'spec': {'field': 'v2'}})
    await stage.wait(4)
    await stage.stop()


@family('sub-handlers with fields under a handler with a field')
async def subhandlers_under_a_field(stage):
    @kopf.on.create(*KEX, id='parent', field='spec.part')
    def parent(retry, new, **kwargs):
        stage.called('parent', kwargs, retry=retry, new=new)

        @kopf.subhandler(id='x', field='size', value=1)
        def x(old, new, diff, **kw):
            stage.called('parent/x', kw, old=old, new=new, diff=diff)
            return new

        @kopf.subhandler(id='y', field='size', value=2)
        def y(**kw):
            stage.called('parent/y', kw)

    await stage.start()
    await stage.create({'spec': {'part': {'size': 1}}})
    await stage.wait(3)
    await stage.stop()


@family('stacked decorators with different ids')
async def stacked_with_ids(stage):
    @kopf.on.create(*KEX, id='top')
    @kopf.on.create(*KEX, id='middle')
    @kopf.on.create(*KEX, id='bottom')
    def stacked(**kwargs):
        stage.called('stacked', kwargs)
        return True

    await stage.start()
    await stage.create()
    await stage.wait(3)
    await stage.stop()


@family('stacked decorators with one id')
async def stacked_with_one_id(stage):
    @kopf.on.create(*KEX, id='fn', retries=3, backoff=1, param='top')
    @kopf.on.create(*KEX, id='fn', retries=2, backoff=2, param='bottom')
    def stacked(retry, param, **kwargs):
        stage.called('fn', kwargs, retry=retry, param=param)
        raise ValueError('never')

    await stage.start()
    await stage.create()
    await stage.wait(6)
    await stage.stop()


@family('stacked decorators, the lowest of which does not match')
async def stacked_with_filters(stage):
    @kopf.on.create(*KEX, id='fn', param='top')
    @kopf.on.create(*KEX, id='fn', param='bottom', labels={'none': 'yes'})
    @kopf.on.update(*KEX, id='fn', param='update')
    def stacked(param, **kwargs):
        stage.called('fn', kwargs, param=param)

    await stage.start()
    await stage.create()
    await stage.wait(2)
    await stage.patch({'spec': {'field': 'v2'}})
    await stage.wait(2)
    await stage.stop()


@family('temporary errors without a delay')
async def errors_without_delay(stage):
    @kopf.on.create(*KEX, id='none')
    def none(retry, **kwargs):
        stage.called('none', kwargs, retry=retry)
        if retry < 2:
            raise kopf.TemporaryError('again', delay=None)
        return retry

    await stage.start()
    await stage.create()
    await stage.wait(3)
    await stage.stop()


@family('temporary errors with a delay of zero')
async def errors_with_zero_delay(stage):
    @kopf.on.create(*KEX, id='zero')
    def zero(retry, **kwargs):
        stage.called('zero', kwargs, retry=retry)
        if retry < 2:
            raise kopf.TemporaryError('again', delay=0)
        return retry

    await stage.start()
    await stage.create()
    await stage.wait(3)
    await stage.stop()


# What follows differs on purpose: see "What is different" in libs/kopf/docs/moving-from-kopf.md.

@family('unreadable progress')
async def unreadable_progress(stage):
    @kopf.on.create(*KEX, id='fn')
    def fn(retry, **kwargs):
        stage.called('fn', kwargs, retry=retry)

    await stage.start()
    await stage.create({'metadata': {'annotations': {'kopf.zalando.org/fn': 'not JSON'}}})
    await stage.wait(5)
    await stage.stop()


@family('unreadable last handled configuration')
async def unreadable_essence(stage):
    @kopf.on.create(*KEX, id='make')
    def make(**kwargs):
        stage.called('make', kwargs)

    @kopf.on.update(*KEX, id='change')
    def change(**kwargs):
        stage.called('change', kwargs)

    await stage.start()
    await stage.create()
    await stage.wait(2)
    await stage.patch({'metadata': {'annotations': {'kopf.zalando.org/last-handled-configuration': 'not JSON'}}})
    await stage.wait(5)
    await stage.stop()


@family('field below one that is no map')
async def field_below_scalar(stage):
    @kopf.on.create(*KEX, id='make')
    def make(**kwargs):
        stage.called('make', kwargs)

    @kopf.on.field(*KEX, id='below', field='spec.field.below')
    def below(old, new, **kwargs):
        stage.called('below', kwargs, old=old, new=new)

    await stage.start()
    await stage.create({'spec': {'field': 'text'}})
    await stage.wait(3)
    await stage.patch({'spec': {'field': {'below': 1}}})
    await stage.wait(3)
    await stage.stop()
