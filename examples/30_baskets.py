"""A purchase log: which columns are safe to share, and what they are still good for."""

import sfumato as sf
from sfumato.data.samples import purchase_log

log = purchase_log(rows=1000, features=500)
found = sf.baskets.explore(
    log.matrix,
    labels=log.labels,
    k=[5, 11],
    selector="hamdist",
    method="columns",
    seed=0,
)

for candidate in found.candidates:
    print(
        f"k = {candidate.k}: {candidate.count} features, AUC {candidate.auc:.3f}, "
        f"AC {candidate.ac}, exactly unique rows {candidate.unique_share:.0%}"
    )

published = found.publish(found.choose(max_risk=1 / 5), log.matrix)
print(published.matrix.shape)
