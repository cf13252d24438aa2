// SPDX-License-Identifier: GPL-3.0-or-later
// What `mantissa-cli ops` says against the published tables of autocast's operators, written down
// here by hand. They describe LibTorch 2.11.0: what differs from other versions says so.
#include "core/engine/autocast_ops.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>
#include <sstream>

using namespace mantissa;

namespace {

using Table = std::map<std::string, CastRule>;

void put(Table& table, CastRule rule, const char* names)
{
    std::istringstream stream(names);
    for (std::string name; stream >> name;)
        table[name] = rule;
}

Table cudaTable()
{
    Table table;
    put(table, CastRule::LowPrecision,
        "_convolution _convolution.deprecated conv1d conv2d conv3d conv_tbc conv_transpose1d "
        "conv_transpose2d.input conv_transpose3d.input convolution cudnn_convolution "
        "cudnn_convolution_transpose prelu addmm addmv addr matmul einsum mm mv linalg_vecdot "
        "linear addbmm baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell "
        "_thnn_fused_gru_cell lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell "
        "_scaled_dot_product_flash_attention scaled_dot_product_attention "
        "mantissa::bias_gelu");
    // _cudnn_rnn is cast too, where CUDA's library is loaded; no list names it.
    // rms_norm joined later versions' list; 2.11.0 does not have it.
    put(table, CastRule::Fp32,
        "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan "
        "pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar softplus layer_norm native_layer_norm "
        "group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim cosine_similarity "
        "poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div "
        "l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss "
        "soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits "
        "dist pdist cdist renorm logsumexp upsample_nearest1d upsample_nearest2d "
        "upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d "
        "_upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa "
        "upsample_trilinear3d upsample_bicubic2d _upsample_bicubic2d_aa");
    put(table, CastRule::Fp32Output,
        "prod prod.dim_int prod.dim_Dimname softmax.int softmax.Dimname log_softmax.int "
        "log_softmax.Dimname cumprod cumprod.dimname cumsum cumsum.dimname linalg_vector_norm "
        "linalg_matrix_norm linalg_matrix_norm.str_ord sum sum.dim_IntList sum.dim_DimnameList "
        "norm.Scalar norm.ScalarOpt_dim norm.names_ScalarOpt_dim");
    put(table, CastRule::Promote,
        "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot "
        "scatter_add");
    put(table, CastRule::Banned, "binary_cross_entropy");
    return table;
}

Table cpuTable()
{
    Table table;
    put(table, CastRule::LowPrecision,
        "conv1d conv1d.padding conv2d conv2d.padding conv3d conv3d.padding bmm mm linalg_vecdot "
        "baddbmm addmm _addmm_activation addbmm linear _convolution.deprecated matmul conv_tbc "
        "mkldnn_rnn_layer conv_transpose1d conv_transpose2d.input conv_transpose3d.input prelu "
        "scaled_dot_product_attention _native_multi_head_attention mantissa::bias_gelu");
    put(table, CastRule::Fp32,
        "avg_pool3d binary_cross_entropy grid_sampler grid_sampler_2d "
        "_grid_sampler_2d_cpu_fallback grid_sampler_3d polar prod prod.dim_int prod.dim_Dimname "
        "quantile quantile.scalar nanquantile nanquantile.scalar stft stft.center cdist trace "
        "view_as_complex cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr "
        "pinverse max_pool3d max_unpool2d max_unpool3d adaptive_avg_pool3d reflection_pad1d "
        "reflection_pad2d replication_pad1d replication_pad2d replication_pad3d mse_loss "
        "cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss poisson_nll_loss "
        "smooth_l1_loss cross_entropy_loss l1_loss huber_loss margin_ranking_loss "
        "soft_margin_loss triplet_margin_loss multi_margin_loss ctc_loss.IntList ctc_loss.Tensor "
        "kl_div multilabel_margin_loss binary_cross_entropy_with_logits fft_fft fft_ifft fft_fft2 "
        "fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft fft_rfft2 fft_irfft2 fft_rfftn "
        "fft_irfftn fft_hfft fft_ihfft linalg_cond linalg_cond.p_str linalg_matrix_rank "
        "linalg_matrix_rank.tol_tensor linalg_matrix_rank.atol_rtol_tensor "
        "linalg_matrix_rank.atol_rtol_float linalg_solve linalg_cholesky linalg_svdvals "
        "linalg_eigvals linalg_eigvalsh linalg_inv linalg_householder_product linalg_tensorinv "
        "linalg_tensorsolve linalg_qr linalg_cholesky_ex linalg_svd linalg_eig linalg_eigh "
        "linalg_lstsq linalg_inv_ex fake_quantize_per_tensor_affine geqrf _lu_with_info qr svd "
        "triangular_solve fractional_max_pool2d fractional_max_pool3d adaptive_max_pool3d "
        "multilabel_margin_loss_forward");
    put(table, CastRule::Promote, "stack cat index_copy");
    // On the list too, but the operator itself only throws "not yet supported": nothing to look at.
    put(table, CastRule::Unknown, "index_copy.dimname");
    return table;
}

/// Lines "name: rule here, rule in the table" for what differs.
QByteArray differences(const Table& found, const Table& published)
{
    QByteArray text;
    for (const auto& [name, rule] : found) {
        const auto other = published.find(name);
        const auto known = other == published.end() ? CastRule::Untouched : other->second;
        if (rule != known)
            text += QByteArray::fromStdString(name + ": " + std::string(toString(rule))
                + ", published " + std::string(toString(known)) + "\n");
    }
    for (const auto& [name, rule] : published) {
        if (!found.contains(name))
            text += QByteArray::fromStdString(name + " is missing\n");
    }
    return text;
}

} // namespace

class TestAutocastOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto& one : operatorRules()) {
            m_cpu[one.name] = one.cpu.rule;
            m_cuda[one.name] = one.cuda.rule;
            m_rules[one.name] = one;
        }
    }

    void cudasListIsThePublishedOne()
    {
        const auto text = differences(m_cuda, cudaTable());
        QVERIFY2(text.isEmpty(), text.constData());
    }

    void theCpuDoesWhatIsPublished()
    {
        const auto text = differences(m_cpu, cpuTable());
        QVERIFY2(text.isEmpty(), text.constData());
    }

    void itIsSaidHowARuleIsKnown()
    {
        QVERIFY(m_rules.at("linear").cpu.source == RuleSource::Executed);
        QVERIFY(m_rules.at("linear").cuda.source == RuleSource::Table);
        QVERIFY(m_rules.at("batch_norm").cpu.source == RuleSource::Registry);
        QVERIFY(m_rules.at("binary_cross_entropy").cuda.source == RuleSource::Source);
    }

    /// The two devices' tables differ: a CPU run is no preview of CUDA's.
    void cpuAndCudaDiffer()
    {
        QVERIFY(m_cpu.at("softmax.int") == CastRule::Untouched);
        QVERIFY(m_cuda.at("softmax.int") == CastRule::Fp32Output);
        QVERIFY(m_cpu.at("binary_cross_entropy") == CastRule::Fp32);
        QVERIFY(m_cuda.at("binary_cross_entropy") == CastRule::Banned);
    }

private:
    Table m_cpu;
    Table m_cuda;
    std::map<std::string, OperatorRules> m_rules;
};

MANTISSA_TEST(TestAutocastOps)
#include "tst_autocast_ops.moc"
