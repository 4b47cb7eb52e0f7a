"""Aggregates over rows, by the names that the language gives them."""

from __future__ import annotations

from protoc_runtime.engine.library import agreement, counting, families, order, running, statistics

every = counting.every
some = counting.some
no = counting.no

count = counting.count
sum = counting.total
product = counting.product
mean = counting.mean
rate = counting.rate
min = order.least
max = order.greatest
median = order.median
variance = statistics.variance
distinct = order.distinct
list = order.listed
longest_run = order.longest_run
max_drawdown = order.max_drawdown
p95 = order.p95
quantile = order.quantile
cut_off = order.cut_off
benjamini_hochberg = families.rejected
auc = statistics.auc
mcnemar = statistics.mcnemar
correlation = statistics.correlation
spearman = statistics.spearman
sign_test = statistics.sign_test
mad = statistics.mad
harmonic_mean = statistics.harmonic_mean
cohen_kappa = agreement.cohen_kappa
fleiss_kappa = agreement.fleiss_kappa
brier = agreement.brier
ece = agreement.ece
only = order.only
first = order.first
last = order.last

earlier_count = running.earlier_count
earlier_sum = running.earlier_sum
earlier_mean = running.earlier_mean
earlier_rate = running.earlier_rate
earlier_some = running.earlier_some
earlier_no = running.earlier_no
