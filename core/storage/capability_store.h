// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"
#include "core/hardware/model_check.h"
#include "core/storage/run_store.h"

namespace mantissa {

/// A card as it was stored.
struct StoredCheck {
    std::int64_t id = 0;
    std::string machine; ///< host name
    CapabilityCard card;
};

/// A prediction beside what the run did later.
struct PredictionOutcome {
    std::int64_t run = 0;
    std::int64_t createdMs = 0; ///< of the run, Unix time in ms
    std::string variant;
    std::string key; ///< predictionKey()
    Precision precision = Precision::Fp32;
    double predictedMs = 0; ///< median step
    double measuredMs = 0;
};

/// The hardware checks in a store file; for one thread, beside any number of RunStores.
class CapabilityStore {
public:
    [[nodiscard]] static Result<std::unique_ptr<CapabilityStore>> open(
        const std::filesystem::path& file, RunStore::Mode mode = RunStore::Mode::ReadWrite);
    ~CapabilityStore();

    /// Keeps a card with this machine, beside the earlier ones; gives its id.
    [[nodiscard]] Result<std::int64_t> add(const CapabilityCard& card);
    /// All cards of all machines, newest first. One that cannot be read is left out.
    [[nodiscard]] Result<std::vector<StoredCheck>> checks() const;

    [[nodiscard]] Result<void> addModelCheck(const ModelCheck& check);
    /// Newest first; of one machine (host name), or of all.
    [[nodiscard]] Result<std::vector<ModelCheck>> modelChecks(
        const std::string& machine = {}) const;
    /// Every finished run of this machine that a model check here before it predicted, with the
    /// last such prediction; newest run first.
    [[nodiscard]] Result<std::vector<PredictionOutcome>> predictions() const;

private:
    CapabilityStore();
    struct Private;
    std::unique_ptr<Private> m_d;
};

} // namespace mantissa
