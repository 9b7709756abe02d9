"""A shown measure of the tables engine: the share of records in groups that five people or more fit."""


class CrowdedShare:
    name = "crowded"
    help = "Share of records in groups of five people or more."

    @staticmethod
    def of_groups(groups):
        return float(groups.count[groups.people >= 5].sum()) / groups.records

    @staticmethod
    def of_file(groups):
        return float(groups.count[groups.people >= 5].sum()) / int(groups.count.sum())
