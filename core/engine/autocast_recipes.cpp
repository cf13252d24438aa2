// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny arguments for every operator that CPU autocast has a rule for.
#include "core/engine/autocast_probe.h"

#include <array>

namespace mantissa {

namespace {

struct Recipe {
    std::string_view arguments;
    std::string_view names; ///< separated and surrounded by spaces
};

constexpr std::array kRecipes{
    Recipe{"s4",
        " cholesky cholesky_inverse inverse pinverse trace linalg_cholesky linalg_cholesky_ex "
        "linalg_cond linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh linalg_inv "
        "linalg_inv_ex linalg_qr linalg_svd linalg_svdvals qr svd geqrf _lu_with_info prod "
        "linalg_matrix_rank.atol_rtol_float linalg_matrix_rank.atol_rtol_tensor fft_fft fft_fft2 "
        "fft_fftn fft_hfft fft_ifft fft_ifft2 fft_ifftn fft_ihfft fft_irfft fft_irfft2 fft_irfftn "
        "fft_rfft fft_rfft2 fft_rfftn exp log sum "},
    Recipe{"s4 s4",
        " mm matmul linear cholesky_solve linalg_solve linalg_vecdot linalg_lstsq mse_loss "
        "l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy_with_logits cdist "
        "triangular_solve polar soft_margin_loss hinge_embedding_loss "},
    Recipe{"s4 s4 s4", " addmm _addmm_activation margin_ranking_loss triplet_margin_loss "},
    Recipe{"s4 f4", " orgqr linalg_householder_product linalg_tensorsolve "},
    Recipe{"s4 f4 s4", " ormqr "},
    Recipe{"s4 1", " linalg_tensorinv prod.dim_int softmax.int "},
    Recipe{"n4x2 'dimname::a'", " prod.dim_Dimname "},
    Recipe{"s4 'fro'", " linalg_cond.p_str "},
    Recipe{"s4 0.1", " linalg_matrix_rank "},
    Recipe{"s4 u1", " linalg_matrix_rank.tol_tensor "},
    Recipe{"s4 s4 p4", " lu_solve "},
    Recipe{"u4x4 u4x4", " binary_cross_entropy "},
    Recipe{"f4x4 f4x4 f4", " cosine_embedding_loss "},
    Recipe{"f2x3x3 f2x3x3", " bmm "},
    Recipe{"f2x3x3 f2x3x3 f2x3x3", " baddbmm "},
    Recipe{"f3x3 f2x3x3 f2x3x3", " addbmm "},
    Recipe{"f1x2x5 f3x2x3", " conv1d conv1d.padding "},
    Recipe{"f1x2x5x5 f3x2x3x3", " conv2d conv2d.padding "},
    Recipe{"f1x2x4x4x4 f3x2x3x3x3", " conv3d conv3d.padding "},
    Recipe{"f1x2x5 f2x3x3", " conv_transpose1d "},
    Recipe{"f1x2x5x5 f2x3x3x3", " conv_transpose2d.input "},
    Recipe{"f1x2x4x4x4 f2x3x3x3x3", " conv_transpose3d.input "},
    Recipe{"f1x2x5x5 f3x2x3x3 none [1,1] [0,0] [1,1] false [0,0] 1 false false false",
        " _convolution.deprecated "},
    Recipe{"f5x1x2 f3x2x3 f3", " conv_tbc "},
    Recipe{"f2x3 f3", " prelu mantissa::bias_gelu "},
    Recipe{"f1x1x3x4 f1x1x3x4 f1x1x3x4", " scaled_dot_product_attention "},
    Recipe{"f1x3x4 f1x3x4 f1x3x4 4 2 f12x4 f12 f4x4 f4", " _native_multi_head_attention "},
    Recipe{"f3x1x4 f16x4 f16x4 f16 f16 f1x1x4 f1x1x4 false [] 2 4 1 true false false false",
        " mkldnn_rnn_layer "},
    Recipe{"u6 u2", " quantile nanquantile "},
    Recipe{"u6 0.5", " quantile.scalar nanquantile.scalar "},
    Recipe{"f16 8 none none none false none true", " stft "},
    Recipe{"f16 8 none none none true 'reflect' false none true", " stft.center "},
    Recipe{"f3x2", " view_as_complex "},
    Recipe{"f1x2x4x4x4 [2,2,2]", " avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d "},
    Recipe{"f1x1x2x2 i1x1x2x2 [4,4]", " max_unpool2d "},
    Recipe{"f1x1x2x2x2 i1x1x2x2x2 [4,4,4] [2,2,2] [0,0,0]", " max_unpool3d "},
    Recipe{"f1x2x6x6 [2,2] [3,3] u1x2x2", " fractional_max_pool2d "},
    Recipe{"f1x2x6x6x6 [2,2,2] [3,3,3] u1x2x3", " fractional_max_pool3d "},
    Recipe{"f1x2x4 [1,1]", " reflection_pad1d replication_pad1d "},
    Recipe{"f1x2x4x4 [1,1,1,1]", " reflection_pad2d replication_pad2d "},
    Recipe{"f1x2x4x4x4 [1,1,1,1,1,1]", " replication_pad3d "},
    Recipe{"f4x3 c4", " nll_loss cross_entropy_loss multi_margin_loss "},
    Recipe{"f2x3x4x4 c2x4x4", " nll_loss2d "},
    Recipe{"f4x3 c4x3", " multilabel_margin_loss "},
    Recipe{"f4x3 c4x3 1", " multilabel_margin_loss_forward "},
    Recipe{"f4 f4 true false 1e-8 1", " poisson_nll_loss "},
    Recipe{"f5x1x3 o1x2 [5] [2]", " ctc_loss.IntList "},
    Recipe{"f5x1x3 o1x2 k5 k2", " ctc_loss.Tensor "},
    Recipe{"f4 0.1 0 0 255", " fake_quantize_per_tensor_affine "},
    Recipe{"f1x1x4x4 f1x3x3x2 0 0 false",
        " grid_sampler grid_sampler_2d _grid_sampler_2d_cpu_fallback "},
    Recipe{"f1x1x4x4x4 f1x3x3x3x3 0 0 false", " grid_sampler_3d "},
    Recipe{"{f2x2,f2x2}", " cat stack "},
    Recipe{"f4x2 0 i2 f2x2", " index_copy "},
    Recipe{"n4x2 'dimname::a' i2 n2x2", " index_copy.dimname "},
};

} // namespace

std::string_view recipeOf(const std::string& name)
{
    const auto word = " " + name + " ";
    for (const auto& recipe : kRecipes) {
        if (recipe.names.find(word) != std::string_view::npos)
            return recipe.arguments;
    }
    return {};
}

} // namespace mantissa
